import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeError } from './safe-error.ts'

test('errors keep their reason, without persons, machines and secrets', () => {
  const cases: [text: string, shown: string][] = [
    ['550 5.1.1 <ada@example.com>: user unknown', '550 5.1.1 <[email address]>: user unknown'],
    ['connect ECONNREFUSED 10.1.2.3:5432', 'connect ECONNREFUSED [IP address]'],
    ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED [IP address]'],
    ['getaddrinfo ENOTFOUND mailhost', 'getaddrinfo ENOTFOUND [host]'],
    ['no response from smtp.shop.internal:587', 'no response from [host]'],
    ['POST https://user:pw@api.example.com/x?token=1 failed', 'POST [URL] failed'],
    ['postgres://platen:secret@db/platen is down', '[URL] is down'],
    [
      "ENOENT: no such file or directory, open '/srv/data/keys/secret.key'",
      'ENOENT: no such file or directory, open [value]',
    ],
    ['cannot read /srv/data/keys/secret.key now', 'cannot read [path] now'],
    ['Key (name)=(Ada Example) exists', 'Key (name)=[value] exists'],
    ['value “Ada Example” is too long', 'value [value] is too long'],
    ['call +49 151 2345678 back', 'call [number] back'],
    ['bearer abc refused', 'bearer [removed] refused'],
    ['api_key: abc refused', 'api_key=[removed] refused'],
    ['digest 3f0a9c4b3f0a9c4b3f0a9c4b3f0a9c4b differs', 'digest [removed] differs'],
    ['order ord_01h455vb4pex5vsknk084sn02q is locked', 'order ord_01h455vb4pex5vsknk084sn02q is locked'],
    ['the renderer has no process\n    at /srv/app/main.ts:1', 'the renderer has no process'],
    ['', ''],
  ]
  for (const [text, shown] of cases) assert.equal(safeError(text), shown)
  assert.equal(safeError('word '.repeat(200)).length, 300)
  // The beginning of an email address would not be recognized.
  const paths = `/a/${'b'.repeat(46)} `.repeat(11)
  assert.ok(!safeError(`${paths}/${'b'.repeat(43)} adalovelace@example.com`).includes('ada'))
})
