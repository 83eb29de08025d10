import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { HARFBUZZ_WASM, translateHarfBuzz } from './translate-harfbuzz.ts'

const INSTANTIATE = fileURLToPath(new URL('../packages/editor/src/engine/harfbuzz/instantiate.ts', import.meta.url))
const GLUE = ['harfbuzzjs', 'dist', 'harfbuzz.js'].join(sep)

// Each text occurs once in the script with which emscripten loads HarfBuzz.
const CHANGES: readonly (readonly [before: string, after: string])[] = [
  // emscripten calls this function of its argument, if there is one, instead of WebAssembly.
  ['createHarfBuzz(moduleArg={})', 'createHarfBuzz(moduleArg={instantiateWasm})'],
  // Otherwise the build would contain the WebAssembly file and a part for Node.js.
  ['new URL("harfbuzz.wasm",import.meta.url).href', '""'],
  ['const{createRequire}=await import("module");var require=createRequire(import.meta.url)', ''],
  ['var fs=require("fs");', ''],
  ['require("path").dirname(require("url").fileURLToPath(_scriptName))', '""'],
  ['typeof process=="object"&&process.versions?.node&&process.type!="renderer"', 'false'],
]

/** Makes `harfbuzzjs` run without WebAssembly in a build: the `.wasm` file becomes its translation. */
export function harfbuzzWithoutWebAssembly(): Plugin {
  return {
    name: 'platen-harfbuzz',
    enforce: 'pre',
    load: {
      filter: { id: HARFBUZZ_WASM },
      handler: async () => ({ code: await translateHarfBuzz(), moduleType: 'js', moduleSideEffects: false }),
    },
    transform(code, id) {
      if (!id.endsWith(GLUE)) return undefined
      return `import { instantiateWasm } from ${JSON.stringify(INSTANTIATE)}\n${applyChanges(code)}`
    },
  }
}

function applyChanges(code: string): string {
  return CHANGES.reduce((changed, [before, after]) => {
    const parts = changed.split(before)
    if (parts.length !== 2) throw new Error(`The script that loads HarfBuzz has an unknown form: no single ${before}`)
    return parts.join(after)
  }, code)
}
