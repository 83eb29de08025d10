import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DocSource, LinkTargets } from './markdown.ts'

/** The folder of the program, which contains `docs`. */
const ROOT = join(import.meta.dirname, '../../..')

const guide = (name: string): DocSource => ({
  file: `docs/guides/${name}.md`,
  path: `/docs/guides/${name}`,
  group: 'Guides',
})

const page = (name: string, group: string): DocSource => ({
  file: `docs/${name}.md`,
  path: `/docs/${name.toLowerCase()}`,
  group,
})

export const GUIDES = [
  'first-design',
  'first-order',
  'customers',
  'guests',
  'templates',
  'editor',
  'showing-designs',
  'receiving-webhooks',
  'mails',
  'look',
  'console',
  'developing-locally',
  'going-live',
]

/** The Markdown files of the documentation, in the order of the navigation. */
export const SOURCES: readonly DocSource[] = [
  ...GUIDES.map(guide),
  page('SDK', 'Guides'),
  ...['API-DESIGN', 'SIGN-IN', 'ACCOUNTS', 'CUSTOMERS', 'IMPORT-USERS'].map((name) => page(name, 'Rules')),
  ...['DESIGN-DOCUMENT', 'PRINT-FILES', 'ORDERS', 'PAYMENTS', 'WEBHOOKS'].map((name) => page(name, 'Rules')),
  { file: 'README.md', section: 'Settings', path: '/docs/settings', group: 'Rules' },
  page('DATABASES', 'More'),
  page('GLOSSARY', 'More'),
  { file: 'CHANGELOG.md', path: '/docs/changelog', group: 'More' },
]

export const EXAMPLES = ['greeting-card', 'invitation-with-qr', 'many-scripts', 'photo-card', 'two-sides']
export const examplePath = (name: string): string => `/docs/examples/${name}.json`

export const LINK_TARGETS: LinkTargets = new Map([
  ...SOURCES.map(({ file, path }) => [file, path] as const),
  ...EXAMPLES.map((name) => [`docs/examples/${name}.json`, examplePath(name)] as const),
  ['docs/design-document.schema.json', '/v1/schemas/design-document.json'],
])

export const readSource = (file: string): Promise<string> => readFile(join(ROOT, file), 'utf8')
