import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin, Rolldown } from 'vite'

const IMPORT_MODULE = fileURLToPath(new URL('../packages/ui/src/modules/import-module.ts', import.meta.url))

/** The module of Vite with the function that it calls in place of each `import()`. */
const HELPER = /^\0vite\/preload-helper\.js$/

interface RepeatableImports {
  plugin: Plugin
  modulePreload: NonNullable<BuildOptions['modulePreload']>
}

/** Has pages import modules with `importModule`, so that an import can be repeated after it has failed. */
export function repeatableImports(): RepeatableImports {
  let bundle: Rolldown.OutputBundle = {}
  return {
    plugin: {
      name: 'platen-imports',
      enforce: 'pre',
      load: {
        filter: { id: HELPER },
        handler: () => `export { importModule as __vitePreload } from ${JSON.stringify(IMPORT_MODULE)}`,
      },
      generateBundle: {
        order: 'pre',
        handler(_, output) {
          bundle = output
        },
      },
    },
    modulePreload: {
      polyfill: false,
      // Vite passes no files if the module imports no other one, and all files even if the importing module has them.
      resolveDependencies(file, files, { hostId, hostType }) {
        if (hostType === 'html') return files
        const present = staticImports(bundle, hostId)
        return [...new Set([file, ...files])].filter((one) => !present.has(one))
      },
    },
  }
}

/** Returns a file and all files that it imports, directly or not, before it runs. */
function staticImports(bundle: Rolldown.OutputBundle, file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const output = bundle[file]
  if (output?.type === 'chunk') for (const next of output.imports) staticImports(bundle, next, found)
  return found
}
