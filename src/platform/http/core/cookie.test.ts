import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCookie } from './cookie.ts'

test('the first cookie of a name is read, among others with similar names', () => {
  assert.equal(readCookie('a=1; session=x; session=y', 'session'), 'x')
  assert.equal(readCookie('my-session=1;\tsession=x ;b', 'session'), 'x')
  assert.equal(readCookie('session=', 'session'), '')
  for (const header of [undefined, '', 'xsession=1', 'session', 'a=session=1', 'a="; session"']) {
    assert.equal(readCookie(header, 'session'), undefined)
  }
})
