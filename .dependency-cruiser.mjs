// Who may import whom. An arrow between folders that is not named here is forbidden; `npm run boundaries` holds it.

import { join } from 'node:path'

/** What each folder of src may import besides itself, the platform and packages. */
const ARROWS = {
  auth: [],
  'change-records': ['auth'],
  'color-profiles': ['auth', 'change-records'],
  products: ['auth', 'change-records', 'assets', 'color-profiles'],
  'shop-settings': ['auth', 'change-records', 'assets'],
  assets: ['auth'],
  fonts: ['auth'],
  templates: ['auth', 'change-records', 'products', 'assets', 'fonts', 'drawing'],
  designs: ['auth', 'products', 'templates', 'assets', 'fonts', 'color-profiles', 'drawing', 'rendering'],
  orders: ['auth', 'change-records', 'products', 'designs'],
  'order-mails': ['auth', 'change-records', 'orders'],
  events: ['auth'],
  webhooks: ['auth'],
  system: ['auth'],
  'request-log': ['auth'],
  site: ['products', 'orders'],
  rendering: ['drawing'],
  drawing: [],
}

/** What each folder of the browser applications may import besides itself and packages. */
const BROWSER_ARROWS = {
  'packages/ui': [],
  'packages/editor': ['packages/client', 'packages/ui', 'src/drawing'],
  'packages/app': ['packages/client', 'packages/ui'],
  'web/shop': ['packages/client', 'packages/ui', 'packages/app', 'packages/editor'],
  'web/console': ['packages/client', 'packages/ui', 'packages/app'],
}

const FOLDERS = Object.keys(ARROWS)
const COMPOSITION = '^src/(main|app|worker|services|create-services|features|storage)\\.ts$|^src/commands/'
// Tests and what serves them may import anything.
export const TESTS = '\\.(test|fixture)\\.ts$|(^|/)factory\\.ts$'

/** Folders whose folders must not import each other in a circle, at any depth. */
export const ACYCLIC = ['platform', ...FOLDERS].map((folder) => `src/${folder}`)

/** Folders whose direct folders must not do so. */
export const ACYCLIC_ON_TOP = ['packages/editor/src']

// Features import its types only. The composition reads the settings once and passes them on.
const SETTINGS = '^src/config/index\\.ts$'

// Providers declare their settings beside their code. The table of settings includes them.
const PROVIDER_SETTINGS =
  '^src/(orders/payments|auth/oauth)/(provider-settings|providers/settings|providers/[^/]+/settings)\\.ts$'

const arrows = FOLDERS.map((folder) => ({
  name: `arrow-${folder}`,
  comment: `src/${folder} may import ${['platform', ...ARROWS[folder]].join(', ')} of src, and nothing else.`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: `${TESTS}|${PROVIDER_SETTINGS}` },
  to: { path: '^src/', pathNot: `^src/(${[folder, 'platform', ...ARROWS[folder]].join('|')})/|${SETTINGS}` },
}))

const entrances = [...FOLDERS, 'platform/postgres', 'platform/storage', 'platform/outbox'].map((folder) => ({
  name: `entrance-${folder}`,
  comment: `What src/${folder} shows others is in its index.ts.`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${folder}/|${TESTS}|${COMPOSITION}` },
  to: {
    path: `^src/${folder}/`,
    // What lays text out is for the processes of `rendering`; see `only-rendering-lays-text-out`.
    pathNot:
      folder === 'drawing' ? '^src/drawing/(index|engine)\\.ts$' : `^src/${folder}/index\\.ts$|${PROVIDER_SETTINGS}`,
  },
}))

/** The processes that may be made to take long, or to die, by what customers send. */
const CHILD_PROCESSES = '^src/rendering/(worker|checking/worker)\\.ts$'

const rules = [
  {
    name: 'no-cycles',
    comment: 'Two modules that need each other are one module, or there is a third.',
    severity: 'error',
    from: { path: '^(src|packages|web)/', pathNot: TESTS },
    to: { circular: true },
  },
  {
    name: 'arrow-platform',
    comment: 'The platform knows no feature.',
    severity: 'error',
    from: { path: '^src/platform/', pathNot: TESTS },
    to: { path: '^src/', pathNot: '^src/platform/' },
  },
  {
    name: 'arrow-composition',
    comment: 'Nothing imports what puts the program together.',
    severity: 'error',
    from: { path: '^src/', pathNot: `${COMPOSITION}|${TESTS}` },
    to: { path: COMPOSITION },
  },
  {
    name: 'drawing-is-browser-safe',
    comment: 'The same drawing code is to run in a browser: no part of Node, and none of our own that has one.',
    severity: 'error',
    from: { path: '^src/drawing/', pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'drawing-stands-alone',
    comment: 'Drawing is a pure function of its input and imports nothing of ours.',
    severity: 'error',
    from: { path: '^src/drawing/', pathNot: TESTS },
    to: { path: '^src/', pathNot: '^src/drawing/' },
  },
  {
    name: 'only-rendering-lays-text-out',
    comment:
      'Fonts and texts of customers are opened and laid out in child processes, never where requests are answered.',
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/(rendering|drawing)/|${TESTS}` },
    to: { path: '^src/drawing/engine\\.ts$' },
  },
  {
    name: 'only-rendering-reads-paths',
    comment:
      'Reading the paths of a document takes up to 80 ms, so the process that serves requests leaves it to child processes.',
    severity: 'error',
    from: { path: '^src/drawing/index\\.ts$' },
    to: { path: '^src/drawing/shapes/path/', reachable: true },
  },
  {
    name: 'harfbuzz-with-checked-memory',
    comment: 'As published, HarfBuzz overwrites its own data when its memory is full; harfbuzz.ts has it fail instead.',
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/drawing/text/fonts/harfbuzz\\.ts$|${TESTS}` },
    to: { path: 'node_modules/harfbuzzjs/' },
  },
  {
    name: 'child-processes-stand-alone',
    comment: 'What a child process runs is started by its pool. Imported, it would run where requests are answered.',
    severity: 'error',
    // The renderer imports types, which the parser does not tell from values.
    from: { path: '^src/', pathNot: `${TESTS}|^src/rendering/renderer\\.ts$` },
    to: { path: CHILD_PROCESSES },
  },
  {
    name: 'no-sql-in-routes',
    comment: 'Routes call actions and stores; SQL is in store.ts.',
    severity: 'error',
    from: { path: '(^|/)routes\\.ts$' },
    to: { path: 'node_modules/(kysely|pg)/' },
  },
  {
    name: 'fastify-at-the-edge',
    comment:
      'Only routes, platform/http and the composition know Fastify. Everything else takes values, so that a job or a command can call it.',
    severity: 'error',
    from: { path: '^src/', pathNot: `(^|[/-])routes\\.ts$|^src/platform/http/|^src/app\\.ts$|${TESTS}` },
    to: { path: 'node_modules/(fastify|@fastify)/' },
  },
  {
    name: 'one-way-into-a-session',
    comment:
      'completeSignIn applies the second factor, the notices and the record. Code that opens sessions elsewhere bypasses them. Guests have no account to sign in to.',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/auth/(sign-in/complete-sign-in|guests/open-guest)\\.ts$' },
    to: { path: '^src/auth/sessions/open-session\\.ts$', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'client-commands-stand-apart',
    comment:
      'These commands call a service that may run elsewhere, so they have neither its settings nor its database. They sign as webhooks are signed.',
    severity: 'error',
    from: { path: '^src/commands/client/', pathNot: TESTS },
    to: {
      path: '^src/|node_modules/',
      pathNot:
        '^src/commands/(client/|command-line/(command-error|command|terminal|user-path)\\.ts$)|^src/(platform/version|config/client-variables|orders/events|designs/events)\\.ts$|^src/webhooks/(endpoints/secrets|deliveries/message)\\.ts$|node_modules/(commander|eventsource-parser)/',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'states-stand-alone',
    comment: 'A transition table is data that anybody can read, and needs nothing.',
    severity: 'error',
    from: { path: '(^|/)state\\.ts$' },
    to: { path: '.' },
  },
  {
    name: 'provider-settings-are-light',
    comment: 'Reading the configuration loads these files, so they import nothing but what describes settings.',
    severity: 'error',
    from: { path: PROVIDER_SETTINGS },
    to: { path: '.', pathNot: `^src/config/values/(checks|config-error|kinds)\\.ts$|${PROVIDER_SETTINGS}` },
  },
  {
    name: 'provider-settings-are-for-config',
    comment: 'Other code receives the settings of providers as values.',
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/(auth|config|orders)/|${TESTS}` },
    to: { path: PROVIDER_SETTINGS },
  },
  {
    name: 'order-is-a-leaf',
    comment: 'Every part of src/orders works on orders, so the order itself needs none of them.',
    severity: 'error',
    from: { path: '^src/orders/order/', pathNot: TESTS },
    to: { path: '^src/orders/', pathNot: '^src/orders/(order/|(events|ids|problems)\\.ts$)' },
  },
  {
    name: 'no-tests-in-the-program',
    comment: 'The program must not need what only tests are given.',
    severity: 'error',
    from: { path: '^src/', pathNot: TESTS },
    to: { path: `${TESTS}|^(test|bench|fuzz|scripts)/` },
  },
  {
    name: 'client-stands-alone',
    comment: 'The client runs in browsers and workers: it has no dependencies, and needs nothing of Node.js.',
    severity: 'error',
    from: { path: '^packages/client/src/' },
    to: { path: '.', pathNot: '^packages/client/src/' },
  },
  {
    name: 'program-without-client',
    comment:
      'The client is for programs that call the service. Only the texts, formats, icons and Markdown of the shop are common.',
    severity: 'error',
    from: { path: '^src/', pathNot: TESTS },
    to: {
      path: '^packages/|node_modules/@platen/',
      pathNot:
        '^packages/ui/src/(i18n/(formats|languages|translator)|components/icon/paths|markdown/read-markdown)\\.ts$',
    },
  },
  ...Object.entries(BROWSER_ARROWS).map(([folder, allowed]) => ({
    name: `arrow-${folder}`,
    comment: `${folder} may import ${allowed.join(', ') || 'packages only'} of ours, and nothing of Node.js.`,
    severity: 'error',
    from: { path: `^${folder}/src/`, pathNot: TESTS },
    to: {
      path: '^(src|packages|web|scripts|test)/|node_modules/@platen/',
      pathNot: [folder, ...allowed].map((name) => `^${name}/`).join('|'),
    },
  })),
  {
    name: 'browser-without-node',
    comment: 'A browser has no part of Node.js.',
    severity: 'error',
    from: { path: '^(packages/(ui|app|editor)|web/[^/]+)/src/', pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'no-development-packages-in-the-program',
    comment: 'npm start installs what the program runs on and no more.',
    severity: 'error',
    from: { path: '^src/', pathNot: `${TESTS}|^src/[^ ]+/testing/` },
    to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'everything-resolves',
    comment: 'An import that leads nowhere is not held by the other rules.',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
]

export const boundaries = {
  forbidden: [...rules, ...arrows, ...entrances],
  options: {
    // The default parser is TypeScript's own, which version 7 no longer offers; without one no module is read.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      // Within the project, the sources of the client stand for its package.
      alias: { '@platen/client$': join(import.meta.dirname, 'packages/client/src/index.ts') },
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}
