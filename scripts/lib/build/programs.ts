import { dirname, join, relative } from 'node:path'
import { ROOT } from './built.ts'

/** Contains the bundles of all programs. */
export const BUNDLES = join(ROOT, 'dist/service')

/** The programs of the service. The first one starts the others. */
export const PROGRAMS = [
  'src/main.ts',
  'src/commands/processes/api-process.ts',
  'src/auth/passwords/threads/hashing-thread.ts',
  'src/platform/postgres/archive/archive-program.ts',
  'src/rendering/worker.ts',
  'src/rendering/checking/worker.ts',
  'src/rendering/pool/watchdog-thread.ts',
  'src/webhooks/outbound/outbound-thread.ts',
]

/** Returns the name of a program's bundle, without its extension. */
export function bundleNameOf(program: string): string {
  return program
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-')
}

/**
 * Replaces the places of programs in the source of a module by those of their bundles.
 *
 * @param path the path of the module in the file system
 * @param urlOf returns the JavaScript that is the URL of a bundle with this name
 */
export function withBundles(source: string, path: string, urlOf: (name: string) => string): string {
  return source.replaceAll(/new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g, (whole, name) => {
    const program = join(dirname(relative(ROOT, path)), name)
    return PROGRAMS.includes(program) ? urlOf(bundleNameOf(program)) : whole
  })
}
