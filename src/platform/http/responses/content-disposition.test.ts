import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentDisposition } from './content-disposition.ts'

const headerFor = (title?: string): string =>
  contentDisposition({
    disposition: 'attachment',
    fileName: 'dsn_1-print.pdf',
    ...(title === undefined ? {} : { title }),
  })

const nameFor = (title: string): string => {
  const [, encoded] = /; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/.exec(headerFor(title)) ?? []
  assert.ok(encoded !== undefined, headerFor(title))
  return decodeURIComponent(encoded)
}

test('a name in any script has an ASCII name beside it', () => {
  assert.equal(headerFor(), 'attachment; filename="dsn_1-print.pdf"')
  assert.equal(
    headerFor('Grüße & Küsse'),
    `attachment; filename="dsn_1-print.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%26%20K%C3%BCsse.pdf`,
  )
  assert.equal(nameFor("It's (almost) done! 50 %"), "It's (almost) done! 50 %.pdf")
  assert.equal(nameFor('بطاقة 2026'), 'بطاقة 2026.pdf')
})

test('a name cannot leave its folder, hide its extension or break the header', () => {
  assert.equal(nameFor('../../etc/passwd'), '-..-etc-passwd.pdf')
  assert.equal(nameFor('C:\\a*b?"<c>|'), 'C--a-b---c--.pdf')
  assert.equal(nameFor('card\r\nSet-Cookie: a=b'), 'cardSet-Cookie- a=b.pdf')
  assert.equal(nameFor('card\u202Efdp.exe'), 'cardfdp.exe.pdf')
  assert.equal(nameFor('card. . '), 'card.pdf')
  assert.equal(nameFor('lone \ud800 half'), 'lone \ufffd half.pdf')
})

test('a name without a visible character is left out, and a long one is shortened', () => {
  for (const title of ['', ' . ', '\u200B\u202E']) assert.equal(headerFor(title), headerFor())
  assert.ok(Buffer.byteLength(nameFor('𝔸'.repeat(300))) <= 255)
})
