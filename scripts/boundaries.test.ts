import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('boundaries.mjs', import.meta.url))
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url))

async function examine(t: TestContext, modules: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'platen-boundaries-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await symlink(PACKAGES, join(root, 'node_modules'))
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { pg: '*', kysely: '*', fastify: '*', '@fastify/multipart': '*' } }),
  )
  for (const [path, text] of Object.entries(modules)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return spawnSync(process.execPath, [PROGRAM, root], { encoding: 'utf8' })
}

const PRODUCT = { 'src/products/index.ts': 'export const a = 1', 'src/products/store.ts': 'export const a = 1' }

const FORBIDDEN: Record<string, [rule: string, modules: Record<string, string>]> = {
  'an import that is not declared': ['arrow-auth', { 'src/auth/a.ts': `import '../products/index.ts'`, ...PRODUCT }],
  'an import of a type that is not declared': [
    'arrow-auth',
    { 'src/auth/a.ts': `import type { A } from '../products/index.ts'\nexport type B = A`, ...PRODUCT },
  ],
  'an internal module of a feature': [
    'entrance-products',
    { 'src/orders/a.ts': `import '../products/store.ts'`, ...PRODUCT },
  ],
  'a feature from the platform': [
    'arrow-platform',
    { 'src/platform/a.ts': `import '../products/index.ts'`, ...PRODUCT },
  ],
  'the composition from a feature': [
    'arrow-composition',
    { 'src/auth/a.ts': `import '../app.ts'`, 'src/app.ts': 'export {}' },
  ],
  'SQL in a route': [
    'no-sql-in-routes',
    { 'src/auth/sessions/routes.ts': `import { sql } from 'kysely'\nexport { sql }` },
  ],
  'the database’s client in a route': [
    'no-sql-in-routes',
    { 'src/auth/routes.ts': `import pg from 'pg'\nexport { pg }` },
  ],
  'Fastify in an action': [
    'fastify-at-the-edge',
    { 'src/auth/sessions/end.ts': `import type { FastifyRequest } from 'fastify'\nexport type A = FastifyRequest` },
  ],
  'a plugin of Fastify in a feature': [
    'fastify-at-the-edge',
    { 'src/assets/upload.ts': `import multipart from '@fastify/multipart'\nexport { multipart }` },
  ],
  'text layout where requests are answered': [
    'only-rendering-lays-text-out',
    { 'src/designs/a.ts': `import '../drawing/engine.ts'`, 'src/drawing/engine.ts': '' },
  ],
  'text layout in the composition': [
    'only-rendering-lays-text-out',
    { 'src/app.ts': `import './drawing/engine.ts'`, 'src/drawing/engine.ts': '' },
  ],
  'what a child process runs': [
    'child-processes-stand-alone',
    {
      'src/rendering/checking/checker.ts': `import './worker.ts'`,
      'src/rendering/checking/worker.ts': '',
    },
  ],
  'Node in drawing': ['drawing-is-browser-safe', { 'src/drawing/a.ts': `import 'node:fs'` }],
  'the platform in drawing': [
    'drawing-stands-alone',
    { 'src/drawing/a.ts': `import '../platform/a.ts'`, 'src/platform/a.ts': '' },
  ],
  'any import in a transition table': [
    'states-stand-alone',
    { 'src/orders/state.ts': `import './store.ts'`, 'src/orders/store.ts': '' },
  ],
  'a cycle': ['no-cycles', { 'src/auth/a.ts': `import './b.ts'`, 'src/auth/b.ts': `import './a.ts'` }],
  'a cycle of folders, though no file is in one': [
    'no-folder-cycles',
    {
      'src/auth/keys/rotate.ts': `import '../audit/record.ts'`,
      'src/auth/audit/record.ts': '',
      'src/auth/audit/verify.ts': `import '../keys/derive.ts'`,
      'src/auth/keys/derive.ts': '',
    },
  ],
  'a cycle of a folder and one inside of it': [
    'no-folder-cycles',
    {
      'src/auth/mfa/routes.ts': `import './sms/send.ts'`,
      'src/auth/mfa/sms/send.ts': `import type { A } from '../store.ts'\nexport type B = A`,
      'src/auth/mfa/store.ts': 'export type A = 1',
    },
  ],
  'a test in the program': [
    'no-tests-in-the-program',
    { 'src/auth/a.ts': `import './a.test.ts'`, 'src/auth/a.test.ts': '' },
  ],
  'an import that cannot be resolved': ['everything-resolves', { 'src/auth/a.ts': `import './b.ts'` }],
  'the environment outside src/config': ['only-config-reads-the-environment', { 'src/auth/a.ts': 'process.env.HOME' }],
}

for (const [what, [rule, modules]] of Object.entries(FORBIDDEN)) {
  test(`rejects ${what}`, async (t) => {
    const { status, stderr } = await examine(t, modules)
    assert.equal(status, 1)
    assert.ok(stderr.includes(rule), stderr)
  })
}

test('allows declared imports, and any import in tests', async (t) => {
  const { status, stderr } = await examine(t, {
    ...PRODUCT,
    'src/config/index.ts': `export * from './config.ts'`,
    'src/config/config.ts': 'export const home = process.env.HOME',
    'src/app.ts': `import './products/store.ts'\nimport './config/index.ts'`,
    'src/orders/a.ts': `import '../products/index.ts'\nimport '../platform/a.ts'`,
    'src/platform/a.ts': `import 'node:fs'`,
    'src/orders/pick-list-routes.ts': `import type { FastifyReply } from 'fastify'\nexport type A = FastifyReply`,
    'src/auth/routes.ts': `import './keys/a.ts'`,
    'src/auth/keys/a.ts': `import '../problems.ts'`,
    'src/auth/keys/a.test.ts': `import '../routes.ts'`,
    'src/auth/problems.ts': '',
    'src/orders/a.test.ts': `import '../products/store.ts'\nprocess.env.HOME`,
  })
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
})
