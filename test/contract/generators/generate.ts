import { writeFile } from 'node:fs/promises'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateApi } from 'swagger-typescript-api'

const DOCUMENT = join(import.meta.dirname, '../../../openapi.json')

/** Generators of clients by their package name. Each writes a client to a folder. */
export const GENERATORS: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'swagger-typescript-api': (folder) =>
    generateApi({ input: DOCUMENT, output: folder, fileName: 'api.ts', generateUnionEnums: true, silent: true }),
  'openapi-typescript': (folder) =>
    withCompilerApi(async () => {
      const { astToString, default: openapiTypescript } = await import('openapi-typescript')
      // Otherwise the types require clients to send every member that has a default.
      const types = await openapiTypescript(pathToFileURL(DOCUMENT), { defaultNonNullable: false })
      await writeFile(join(folder, 'api.d.ts'), astToString(types))
    }),
  'hey-api': (folder) =>
    withCompilerApi(async () => {
      const { createClient } = await import('@hey-api/openapi-ts')
      await createClient({ input: DOCUMENT, output: join(folder, 'api'), logs: { level: 'silent' } })
    }),
}

/**
 * Runs a generator that uses the compiler as a library. TypeScript 7 has no such API, so the generator gets the older
 * TypeScript on which swagger-typescript-api depends.
 */
async function withCompilerApi<T>(run: () => Promise<T>): Promise<T> {
  const require = createRequire(import.meta.url)
  const compiler = createRequire(require.resolve('swagger-typescript-api')).resolve('typescript')
  const url = pathToFileURL(compiler).href
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'typescript' ? url : specifier, context),
  })
  try {
    return await run()
  } finally {
    hooks.deregister()
  }
}
