import assert from 'node:assert/strict'
import test from 'node:test'
import { HashNotUsable } from './hash-format.ts'
import { readStoredHash } from './stored-hash.ts'

/**
 * Hashes from the documentation of argon2-cffi and passlib and from Wikipedia, which do not depend on the code under
 * test.
 */
const PUBLISHED = [
  {
    hash: '$argon2id$v=19$m=65536,t=3,p=4$MIIRqgvgQbgj220jfp0MPA$YfwJSVjtjSU0zzV/P3S9nnQ/USre2wvJMjfCIjrTQbg',
    password: 'correct horse battery staple',
  },
  { hash: '$2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW', password: 'abc123xyz' },
  { hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', password: 'U*U' },
  {
    hash: '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E',
    password: 'password',
  },
  {
    hash: '$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    password: 'password',
  },
  {
    hash: '$pbkdf2-sha256$i=6400$+6UI/S+nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44',
    password: 'password',
  },
]

test('PW-5: published hashes of other systems are accepted', () => {
  for (const { hash, password } of PUBLISHED) {
    assert.equal(readStoredHash(hash).matches(password), true, hash)
    assert.equal(readStoredHash(hash).matches(`${password} `), false, hash)
  }
})

test('PW-5: a hash that is malformed or too expensive is rejected', () => {
  const tail = '$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'
  const refused = [
    '',
    'plain text',
    '$1$salt$5f4dcc3b5aa765d61d8327deb882cf99',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '$2b$31$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
    '$2b$13$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
    '$2b$10$tooshort',
    '$2x$10$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
    `$scrypt$ln=30,r=8,p=1${tail}`,
    `$scrypt$ln=20,r=8,p=1${tail}`,
    `$scrypt$ln=17,r=8,p=2${tail}`,
    `$scrypt$ln=0,r=8,p=1${tail}`,
    '$scrypt$ln=15,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$c2hvcnQ',
    `$pbkdf2-sha256$i=1500001${tail}`,
    `$pbkdf2-sha512$i=500001${tail}`,
    // The hash has two parts of 20 bytes, and each needs all iterations.
    `$pbkdf2-sha1$i=650001${tail}`,
    `$pbkdf2-sha256$i=0${tail}`,
    `$pbkdf2-sha256$i=1000,l=64${tail}`,
    `$pbkdf2-md5$i=1000${tail}`,
    `$pbkdf2-sha256$99999999${tail.replaceAll('+', '.')}`,
    `$argon2id$v=19$m=1048576,t=3,p=4${tail}`,
    `$argon2id$v=19$m=65536,t=1000,p=4${tail}`,
    `$argon2id$v=19$m=65536,t=5,p=4${tail}`,
    `$argon2id$v=19$m=8,t=2,p=16${tail}`,
    `$argon2i$v=19$m=65536,t=3,p=4${tail}`,
    `$scrypt$ln=15,r=8,p=1$${'A'.repeat(400)}$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E`,
  ]
  for (const hash of refused) assert.throws(() => readStoredHash(hash), HashNotUsable, hash)
})

test('PW-5: hashes at recommended or usual costs are accepted', () => {
  const tail = '$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'
  const usual = [
    '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW',
    `$scrypt$ln=17,r=8,p=1${tail}`,
    `$pbkdf2-sha256$i=1200000${tail}`,
    '$pbkdf2-sha1$i=1300000$aM15713r3Xsvxbi31lqr1Q$AAAAAAAAAAAAAAAAAAAAAAAAAAA',
    `$pbkdf2-sha512$i=210000${tail}`,
    `$argon2id$v=19$m=65536,t=4,p=1${tail}`,
    `$argon2id$v=19$m=102400,t=2,p=8${tail}`,
  ]
  for (const hash of usual) assert.doesNotThrow(() => readStoredHash(hash), hash)
})
