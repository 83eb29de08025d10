import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { minify } from 'vite'

const require = createRequire(import.meta.url)
const BINARYEN = dirname(require.resolve('binaryen/package.json'))
const CACHE = join(import.meta.dirname, '../node_modules/.cache/platen')

/** The WebAssembly file of the package, which the plugin replaces by its translation. */
export const HARFBUZZ_WASM = require.resolve('harfbuzzjs/dist/harfbuzz.wasm')

// `wasm2js` knows only the first version of WebAssembly, so later instructions are lowered first.
const LOWERED = [
  ...['bulk-memory', 'bulk-memory-opt', 'sign-ext', 'nontrapping-float-to-int', 'mutable-globals', 'reference-types'],
  'multivalue',
].map((feature) => `--enable-${feature}`)
const LOWER = [
  ...LOWERED,
  '--signext-lowering',
  '--llvm-nontrapping-fptoint-lowering',
  '--llvm-memory-copy-fill-lowering',
]
const TRANSLATE = ['-O2']

/**
 * Translates HarfBuzz from WebAssembly into a script. Its one export, `instantiate(imports)`, returns what the exports
 * of a WebAssembly instance would be. The translation takes about ten seconds, so it is cached in node_modules by a hash
 * of its inputs.
 *
 * @returns the source text of the module
 */
export async function translateHarfBuzz(): Promise<string> {
  const cached = join(CACHE, `harfbuzz-${hashInputs()}.js`)
  if (existsSync(cached)) return readFile(cached, 'utf8')
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'harfbuzz-'))
  try {
    const [lowered, script, small] = ['lowered.wasm', 'script.js', 'small.js'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await runBinaryen('wasm-opt', HARFBUZZ_WASM, ...LOWER, '-o', lowered)
    await runBinaryen('wasm2js', lowered, ...TRANSLATE, '-o', script)
    const { code, errors } = await minify('harfbuzz.js', asModule(await readFile(script, 'utf8')), { module: true })
    if (errors.length > 0) throw new Error(`The translation of HarfBuzz cannot be minified: ${errors[0]?.message}`)
    await writeFile(small, code)
    // A rename is atomic, so a parallel build reads the whole file or none.
    await rename(small, cached)
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function hashInputs(): string {
  const hash = createHash('sha256')
  for (const file of [HARFBUZZ_WASM, join(BINARYEN, 'package.json'), import.meta.filename]) {
    hash.update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 20)
}

function runBinaryen(tool: string, ...args: string[]): Promise<unknown> {
  return promisify(execFile)(process.execPath, [join(BINARYEN, 'bin', tool), ...args])
}

const IMPORTS = /^(import \* as \w+ from '\w+';\n)+/
const INSTANTIATED = /\nvar retasmFunc = asmFunc\([\s\S]*$/
const GROWTH = 'return oldPages;'

/** Turns the script of `wasm2js`, which instantiates itself when it is loaded, into a module with one function. */
function asModule(script: string): string {
  if (!IMPORTS.test(script) || !INSTANTIATED.test(script) || script.split(GROWTH).length !== 2) {
    throw new Error('The script of wasm2js has an unknown form')
  }
  return `${script
    .replace(IMPORTS, '')
    .replace(INSTANTIATED, '\n')
    // As WebAssembly.Memory does. The script would report success although the memory has its old size.
    .replace(
      GROWTH,
      `if (__wasm_memory_size() !== newPages) throw new RangeError('The memory cannot grow'); ${GROWTH}`,
    )}
export { asmFunc as instantiate };\n`
}
