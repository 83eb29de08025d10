import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { STOP_MS } from '../../src/commands/serve/serve.ts'
import { readConfig } from '../../src/config/index.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { startService, temporaryDir } from '../harness.ts'

const ROOT = join(import.meta.dirname, '../..')
const CONTAINER = join(ROOT, 'deploy/container')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const UNITS = ['platen.service', 'platen-backup.service', 'platen-backup.timer'].map((name) => `systemd/${name}`)

const dockerfile = read('deploy/container/Dockerfile')
const compose = parse(read('deploy/container/compose.yaml'))
const manifests = parseAllDocuments(read('deploy/kubernetes/platen.yaml')).map((document) => {
  assert.deepEqual(document.errors, [])
  return document.toJS()
})
const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind)
const deployments = ofKind('Deployment')

test('the samples name only settings of the service', () => {
  const files = ['container/Dockerfile', 'container/compose.yaml', 'container/prepare.sh', 'kubernetes/platen.yaml']
  const ofCaddy = ['PLATEN_DOMAIN', 'PLATEN_UPSTREAM']
  for (const file of [...files, ...UNITS, 'README.md']) {
    const names = read(`deploy/${file}`).match(/\bPLATEN_[A-Z0-9_]*[A-Z0-9]/g) ?? []
    assert.deepEqual(
      names.filter((name) => !(name in SETTINGS || ofCaddy.includes(name))),
      [],
      file,
    )
  }
})

test('the image has the pinned Node.js, no root user, and a service that gets the signals', () => {
  assert.equal(/^FROM node:([\d.]+)-/m.exec(dockerfile)?.[1], read('.nvmrc').trim())
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  assert.match(last, /^USER 65532:65532$/m)
  // In the exec form, no shell stands between the container engine and the service.
  assert.match(last, /^ENTRYPOINT \["\/usr\/local\/bin\/node", "\/opt\/platen\/dist\/service\/main\.js"\]$/m)
  assert.match(last, /^CMD \["serve"\]$/m)
  assert.match(dockerfile, /^RUN npm ci --omit=dev /m)
})

test('the build copies the manifest of every workspace, and each file that it copies exists', () => {
  const lock = JSON.parse(read('package-lock.json')).packages as Record<string, { link?: boolean; resolved?: string }>
  const workspaces = Object.values(lock).flatMap(({ link, resolved }) =>
    link === true && resolved !== undefined ? [resolved] : [],
  )
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  for (const folder of workspaces) assert.ok(copied.includes(`${folder}/package.json`), folder)
  for (const name of copied) assert.ok(existsSync(join(ROOT, name)), name)
})

test('no command of the guide changes the packages of a release that runs', () => {
  const section = /^## systemd\n(.*?)^## /ms.exec(read('deploy/README.md'))?.[1] ?? ''
  const commands = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text)
  const building = commands.filter((text) => /npm (?:ci|install|run build)/.test(text))
  assert.equal(building.length, 2, 'installation and update')
  for (const text of building) {
    assert.match(text, /git clone URL "\$release" && cd "\$release" && npm ci --omit=dev && npm run build/)
    assert.ok(text.indexOf('ln -sfn "$release" /opt/platen') > text.indexOf('npm run build'))
    assert.doesNotMatch(text, /git pull|cd \/opt\/platen\b/)
  }
})

test('systemd knows every setting of the units', {
  skip: spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd-analyze is not installed',
}, async (t) => {
  const folder = await temporaryDir(t)
  const paths = UNITS.map((unit) => {
    const path = join(folder, basename(unit))
    // The program is not installed on this machine.
    writeFileSync(path, read(`deploy/${unit}`).replace('/opt/platen/node_modules/.bin/node', process.execPath))
    return path
  })
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
})

test('the backup runs with the settings, the user and the restrictions of the service, and may write its backups', () => {
  const lines = (unit: string): string[] => read(`deploy/systemd/${unit}`).match(/^\w+=.*$/gm) ?? []
  const [service, backup] = [lines('platen.service'), lines('platen-backup.service')]
  const ofService =
    /^(Description|After|ExecStart|StateDirectory|Restart|RestartSec|RestartPrevent\w+|TimeoutStop|Kill|Wanted)/
  for (const line of service.filter((one) => !ofService.test(one))) assert.ok(backup.includes(line), line)
  const command = backup.find((line) => line.startsWith('ExecStart='))
  const [, target = '', passphrase = ''] = /main\.js backup (\S+) --passphrase-file (\S+)$/.exec(command ?? '') ?? []
  assert.ok(backup.includes(`ReadWritePaths=/var/lib/platen ${target}`))
  const guide = read('docs/BACKUP.md')
  assert.ok(guide.includes(`install -d -m 700 -o platen -g platen ${target}\n`))
  assert.ok(guide.includes(`install -D -m 400 -o platen -g platen /dev/stdin ${passphrase}\n`))
  const files = [...guide.matchAll(/--passphrase-file (\S+)/g)].map(([, path]) => path)
  assert.deepEqual([...new Set(files)], [passphrase])
})

test('commands under systemd run as the service does', () => {
  const [, command = ''] = /^platen\(\) \{\n(.*?)^\}/ms.exec(read('deploy/README.md')) ?? []
  const unit = read('deploy/systemd/platen.service')
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? assert.fail(name)
  assert.match(command, new RegExp(`--uid=${settingOf('User')} --gid=${settingOf('Group')} `))
  for (const name of ['WorkingDirectory', 'EnvironmentFile'])
    assert.ok(command.includes(`-p ${name}=${settingOf(name)}`))
  for (const [, setting = ''] of unit.matchAll(/^Environment=(.*)$/gm))
    assert.ok(command.includes(` -E ${setting} `), setting)
  assert.ok(command.includes(`${settingOf('ExecStart').replace(/ serve$/, '')} "$@"`))
})

test('health checks and probes call routes that answer', async (t) => {
  const service = await startService(t)
  const [, path = ''] = /127\.0\.0\.1:\$\{[^}]+\}(\/[a-z/]+)/.exec(dockerfile) ?? []
  const probes = deployments.flatMap(({ spec }) => {
    const [{ startupProbe, livenessProbe, readinessProbe }] = spec.template.spec.containers
    assert.equal(livenessProbe.httpGet.path, '/health/live')
    assert.equal(readinessProbe.httpGet.path, '/health/ready')
    return [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)
  })
  for (const one of new Set([path, ...probes])) {
    assert.equal((await fetch(`${service.origin}${one}`)).status, 200, one)
  }
})

test('every container is stopped only after the service has stopped, and may not change its program', () => {
  assert.ok(Number.parseInt(compose.services.platen.stop_grace_period, 10) * 1000 > STOP_MS)
  assert.equal(compose.services.platen.read_only, true)
  assert.equal(deployments.length, 2)
  for (const { spec } of deployments) {
    const pod = spec.template.spec
    assert.equal(spec.replicas, 2)
    assert.ok(pod.terminationGracePeriodSeconds * 1000 > STOP_MS)
    assert.equal(pod.securityContext.runAsNonRoot, true)
    const [container] = pod.containers
    assert.equal(container.securityContext.readOnlyRootFilesystem, true)
    assert.equal(container.securityContext.allowPrivilegeEscalation, false)
    assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels)
    const volumes = pod.volumes.map(({ name }: { name: string }) => name)
    assert.deepEqual(
      container.volumeMounts.map(({ name }: { name: string }) => name),
      volumes,
    )
  }
  const [{ spec: budget }] = ofKind('PodDisruptionBudget')
  assert.deepEqual(budget.selector.matchLabels, deployments[0].spec.selector.matchLabels)
})

test('the settings of the manifests are valid together', () => {
  const [{ data }] = ofKind('ConfigMap')
  const { PLATEN_SECRET_KEY_FILE: _, ...settings } = data
  const config = readConfig({ NODE_ENV: 'production', ...settings, ...SECRETS })
  assert.deepEqual(config.warnings, [])
  assert.ok(config.shutdownDelaySeconds * 1000 < STOP_MS)
  const { ports } = deployments[0].spec.template.spec.containers[0]
  assert.equal(ports.find(({ name }: { name: string }) => name === 'metrics').containerPort, config.metricsPort)
})

const SECRETS = {
  PLATEN_DATABASE_URL: 'postgres://platen@db/platen',
  PLATEN_ADMIN_EMAIL: 'a@example.com',
  PLATEN_ADMIN_PASSWORD: 'a quiet lake at dusk',
}

test('the samples of proxies wait for a response equally long', () => {
  const [{ metadata }] = ofKind('Ingress')
  for (const kind of ['read', 'send']) {
    const [, seconds] = new RegExp(`proxy_${kind}_timeout (\\d+)s;`).exec(read('deploy/nginx/platen.conf')) ?? []
    assert.equal(metadata.annotations[`nginx.ingress.kubernetes.io/proxy-${kind}-timeout`], seconds)
  }
})

test('prepare.sh makes settings that the service of compose.yaml accepts, and never replaces them', async (t) => {
  const folder = join(await temporaryDir(t), 'container')
  mkdirSync(folder)
  cpSync(join(CONTAINER, 'prepare.sh'), join(folder, 'prepare.sh'))
  const prepare = () => execFileSync(join(folder, 'prepare.sh'), ['shop.example.com'], { stdio: 'pipe' })
  prepare()
  const { services, secrets } = compose
  const { PLATEN_SECRET_KEY_FILE: inContainer, ...fixed } = services.platen.environment
  assert.equal(inContainer, '/run/secrets/secret_key')
  const config = readConfig({
    NODE_ENV: 'production',
    ...fixed,
    ...parseEnv(readFileSync(join(folder, services.platen.env_file), 'utf8')),
    PLATEN_SECRET_KEY_FILE: join(folder, secrets.secret_key.file),
  })
  assert.deepEqual(config.warnings, [])
  assert.equal(config.s3?.bucket, services.s3.environment.GARAGE_DEFAULT_BUCKET)
  const store = parseEnv(readFileSync(join(folder, services.s3.env_file), 'utf8'))
  assert.equal(config.s3?.credentials?.secretAccessKey, store['GARAGE_DEFAULT_SECRET_KEY'])
  assert.ok(config.databaseUrl?.includes(readFileSync(join(folder, secrets.database_password.file), 'utf8')))
  for (const { file } of Object.values<{ file: string }>(secrets)) assert.ok(existsSync(join(folder, file)), file)
  // The names of the files are known, so the folder must keep other users out.
  assert.equal(statSync(join(folder, 'secrets')).mode & 0o077, 0)
  assert.throws(prepare, /exists already\. Nothing was changed/)
})

test('a container of compose.yaml can restart alone, and its log has a limit', () => {
  for (const [name, service] of Object.entries<Record<string, unknown>>(compose.services)) {
    // A container in the network of another one loses it when that one restarts.
    assert.equal(service['network_mode'], undefined, name)
    assert.deepEqual(service['logging'], { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } }, name)
  }
  const { platen, postgres, s3 } = compose.services
  const [{ hostname }] = [new URL(new URL(platen.environment.PLATEN_STORAGE_URL).searchParams.get('endpoint') ?? '')]
  assert.ok(hostname in compose.services)
  assert.deepEqual([s3.networks, postgres.networks], [['inside'], ['inside']])
  assert.ok(platen.networks.includes('inside'))
  assert.equal(compose.networks.inside.internal, true)
})

test('the guide makes backups of compose.yaml in a volume that the user of the image can write', () => {
  const guide = read('deploy/README.md')
  const [, folder = ''] =
    /exec -T platen \/usr\/local\/bin\/node dist\/service\/main\.js backup (\S+)$/m.exec(guide) ?? []
  const volume = compose.services.platen.volumes.find((one: string) => one.endsWith(`:${folder}`))
  assert.ok(volume.split(':')[0] in compose.volumes)
  // A new volume has the owner of the folder in the image.
  assert.match(dockerfile, new RegExp(`chown 65532:65532 .*/image${folder}`))
  assert.match(read('deploy/container/prepare.sh'), /^PLATEN_BACKUP_PASSPHRASE=\$\(/m)
})

test('compose.yaml refers to what exists, in fixed versions and without passwords', () => {
  const images = Object.values<{ image: string; build?: object }>(compose.services).filter(
    ({ build }) => build === undefined,
  )
  for (const { image } of images) assert.match(image, /:v?\d+\.\d+/)
  assert.ok(
    existsSync(join(CONTAINER, compose.services.platen.build.context, compose.services.platen.build.dockerfile)),
  )
  const caddyfile = compose.services.proxy.volumes[0].split(':')[0]
  assert.match(readFileSync(join(CONTAINER, caddyfile), 'utf8'), /\{\$PLATEN_DOMAIN:.*\{\$PLATEN_UPSTREAM:/s)
  const subnet = compose.networks.proxied.ipam.config[0].subnet
  assert.equal(compose.services.platen.environment.PLATEN_TRUSTED_PROXIES, subnet)
  assert.doesNotMatch(read('deploy/container/compose.yaml'), /PASSWORD:|SECRET_KEY:|SECRET:/)
})
