// Builds the browser applications into web/dist if their sources have changed. Usage: npm run web
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { hashSources, isBuilt, markBuilt, ROOT } from './lib/build/built.ts'

const DIST = join(ROOT, 'web/dist')
const SOURCES = [
  'web/*.ts',
  'web/{shop,console}/**/*',
  'packages/{app,ui,editor}/**/*',
  'packages/client/src/**/*',
  'src/drawing/**/*',
  'package-lock.json',
  'scripts/build-web.ts',
]
const COMPRESSIBLE = /\.(js|css|svg|json)$/

const sources = hashSources(SOURCES)
if (!isBuilt(DIST, sources)) {
  const startedAt = performance.now()
  process.stderr.write('Building the shop, the console and the editor. The first time takes about half a minute.\n')
  // Vite is imported only here, because checking whether a build is needed must be quick.
  const [{ build }, { config }] = await Promise.all([import('vite'), import('../web/vite.config.ts')])
  await build(config)
  await compress(DIST)
  markBuilt(DIST, sources)
  process.stderr.write(`Built the browser applications in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
}

/** Writes a Brotli and a gzip form beside each file, so that the service never compresses while it serves. */
async function compress(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => COMPRESSIBLE.test(name))
  await Promise.all(
    files.map(async (name) => {
      const path = join(folder, name)
      const bytes = readFileSync(path)
      const params = {
        // The highest level takes ten times as long for 5 % less.
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > 500_000 ? 9 : 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      }
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
      writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
    }),
  )
}
