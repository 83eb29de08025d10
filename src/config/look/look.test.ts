import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../index.ts'
import { findUnreadable } from './theme-contrast.ts'

const LORA = join(dirname(createRequire(import.meta.url).resolve('@fontsource/lora/metadata.json')), 'files')

async function tempFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-look-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

const refuses = (env: Record<string, string>, message: RegExp): void => {
  const [name = ''] = Object.keys(env)
  assert.throws(
    () => readConfig(env),
    (error: Error) => {
      assert.equal(error.name, 'ConfigError')
      assert.ok(error.message.startsWith(`${name} `), error.message)
      assert.match(error.message, message)
      return true
    },
  )
}

test('each theme stays readable with every colour of a shop', () => {
  const channel = ['00', '33', '66', '99', 'cc', 'ff']
  for (const PLATEN_SHOP_THEME of ['paper', 'ink']) {
    assert.equal(findUnreadable(readConfig({ PLATEN_SHOP_THEME }).look.tokens), undefined)
    for (const color of channel.flatMap((r) => channel.flatMap((g) => channel.map((b) => `#${r}${g}${b}`)))) {
      const { tokens } = readConfig({ PLATEN_SHOP_THEME, PLATEN_SHOP_COLOR: color }).look
      assert.equal(findUnreadable(tokens), undefined, color)
    }
  }
})

test('buttons have the colour of the shop, and links its hue', () => {
  const { look, shopColor } = readConfig({ PLATEN_SHOP_COLOR: '#ffcc00' })
  assert.equal(shopColor, '#ffcc00')
  assert.equal(look.tokens['--pl-fill'], 'light-dark(#ffcc00, #ffcc00)')
  assert.equal(look.tokens['--pl-on-fill'], 'light-dark(#000000, #000000)')
  assert.match(look.tokens['--pl-accent'] ?? '', /^light-dark\(#8\w{5}, #ffcc00\)$/)
})

test('without a colour of the shop, mails have that of the theme', () => {
  assert.equal(readConfig({}).shopColor, '#2444c8')
  assert.equal(readConfig({ PLATEN_SHOP_THEME: 'ink' }).shopColor, '#0d0d0d')
})

test('a theme of a shop sets known tokens to values of their kinds, and nothing else', async (t) => {
  const path = join(await tempFolder(t), 'theme.css')
  const readWith = async (css: string) => {
    await writeFile(path, css)
    return readConfig({ PLATEN_SHOP_THEME: path }).look
  }
  const good = `/* Ours */ :root {
    --pl-font: "Lora", Georgia, serif; --pl-size-xl: clamp(1rem, 0.5rem + 2vw, 2rem); --pl-radius-m: 0;
    --pl-tracking-heading: -0.02em; --pl-weight-heading: 700; --pl-shadow-1: 0 1px 2px rgb(0 0 0 / 0.1);
    --pl-paper: #ffffff; --pl-ink: light-dark(#111111, #111111); --pl-fill: var(--pl-accent); }`
  // The dark scheme has the dark paper of the style sheet no longer, so all other colours must fit.
  await assert.rejects(readWith(good), /PLATEN_SHOP_THEME .*contrast of .* in the dark scheme/)
  const { tokens, fonts } = await readWith(
    good.replace('--pl-paper: #ffffff; --pl-ink: light-dark(#111111, #111111);', ''),
  )
  assert.equal(tokens['--pl-radius-m'], '0')
  assert.ok(fonts.some(({ family, weight }) => family === 'Lora' && weight === '600'))
  const faulty: [css: string, message: RegExp][] = [
    ['body { color: red }', /one rule/],
    [':root { --pl-ink: #000000 } body { color: red }', /one rule/],
    ['@import "https://e.example/x.css"; :root {}', /one rule/],
    [':root { --pl-unknown: 1px }', /--pl-unknown.*not a design token/],
    [':root { --pl-target: 20px }', /--pl-target.*not a design token/],
    [':root { color: red }', /"color".*not a design token/],
    [':root { --pl-ink: red }', /--pl-ink to "red"/],
    [':root { --pl-paper: url(https://e.example/) }', /--pl-paper/],
    [':root { --pl-radius-m: 10vw }', /--pl-radius-m/],
    [':root { --pl-font: url(x) }', /--pl-font/],
    [':root { --pl-ink: var(--pl-font) }', /--pl-ink/],
    [':root { --pl-ink: var(--pl-ink) }', /--pl-ink/],
    [':root { --pl-ink-2: #cccccc }', /--pl-ink-2 \(#cccccc\) a contrast of/],
  ]
  for (const [css, message] of faulty) {
    await writeFile(path, css)
    refuses({ PLATEN_SHOP_THEME: path }, message)
  }
  refuses({ PLATEN_SHOP_THEME: 'plain' }, /one of: paper, ink/)
  refuses({ PLATEN_SHOP_THEME: 'toString' }, /one of: paper, ink/)
  refuses({ PLATEN_SHOP_THEME: '/no/such/theme.css' }, /ENOENT/)
})

test('the theme in the guide is accepted', async (t) => {
  const path = join(await tempFolder(t), 'theme.css')
  const guide = await readFile(join(import.meta.dirname, '../../../docs/guides/look.md'), 'utf8')
  await writeFile(path, /^```css\n(.*?)^```/ms.exec(guide)?.[1] ?? '')
  assert.equal(readConfig({ PLATEN_SHOP_THEME: path }).look.tokens['--pl-radius-m'], '4px')
})

test('a font of a shop is one WOFF2 file or a folder of them, and states its weight itself', async (t) => {
  const folder = await tempFolder(t)
  const file = (name: string): Promise<Buffer> => readFile(join(LORA, `lora-latin-${name}.woff2`))
  const bytes = await file('700-italic')
  const path = join(folder, 'font.woff2')
  await writeFile(path, bytes)
  const { look } = readConfig({ PLATEN_SHOP_FONT: path })
  assert.deepEqual(look.fonts[0], { family: 'Shop Text', path, weight: '700', style: 'italic' })
  assert.match(look.tokens['--pl-font'] ?? '', /^"Shop Text", "Inter", .*sans-serif$/)
  assert.equal(
    readConfig({ PLATEN_SHOP_FONT: path, PLATEN_SHOP_THEME: 'ink' }).look.tokens['--pl-font-heading'],
    'var(--pl-font)',
  )
  const both = readConfig({ PLATEN_SHOP_HEADING_FONT: folder }).look
  assert.match(both.tokens['--pl-font-heading'] ?? '', /^"Shop Headings", /)
  assert.equal(both.tokens['--pl-font'], undefined)

  const damaged = Buffer.from(bytes)
  damaged.fill(0, 2_000, 3_000)
  // The first table is longer than the directory states.
  const shifted = Buffer.from(bytes)
  const lastDigit = shifted.findIndex((byte, at) => at > 48 && byte < 0x80)
  shifted.writeUInt8(shifted.readUInt8(lastDigit) ^ 1, lastDigit)
  for (const [content, message] of [
    [await readFile(join(LORA, 'lora-latin-400-normal.woff')), /not a WOFF2 file/],
    [Buffer.from('wOF2'), /damaged/],
    [bytes.subarray(0, 5_000), /damaged/],
    [damaged, /damaged/],
    [shifted, /damaged/],
    [Buffer.alloc(2_049 * 1024), /2048 KiB/],
  ] as const) {
    await writeFile(path, content)
    refuses({ PLATEN_SHOP_FONT: path }, message)
    refuses({ PLATEN_SHOP_HEADING_FONT: path }, message)
  }
  await rm(path)
  refuses({ PLATEN_SHOP_FONT: folder }, /0 \.woff2 files/)
  refuses({ PLATEN_SHOP_FONT: path }, /ENOENT/)
})

test('links of the footer lead to https, mailto or the site itself', () => {
  const { links } = readConfig({
    PLATEN_SHOP_LINKS: 'Contact|mailto:a@shop.example, Über uns | /products/prd_1,News|https://n.example/a?b=c',
  }).look
  assert.deepEqual(links, [
    { label: 'Contact', url: 'mailto:a@shop.example' },
    { label: 'Über uns', url: '/products/prd_1' },
    { label: 'News', url: 'https://n.example/a?b=c' },
  ])
  for (const entry of [
    'Contact',
    'A|javascript:alert(1)',
    'A|http://n.example/',
    'A|//n.example/',
    'A|/\\n.example/',
    'A|data:text/html,x',
    'A|https:n.example',
    'A|mailto:',
    'A|imprint',
    '|/a',
    `${'x'.repeat(41)}|/a`,
    'A|/a|b',
  ]) {
    refuses({ PLATEN_SHOP_LINKS: entry }, /begins with https:, mailto: or \//)
  }
  refuses({ PLATEN_SHOP_LINKS: Array.from({ length: 13 }, () => 'A|/a').join() }, /13 links/)
})

test('pages of a shop are Markdown files with names and titles', async (t) => {
  const folder = await tempFolder(t)
  refuses({ PLATEN_SHOP_PAGES_DIR: folder }, /0 \.md files/)
  await writeFile(join(folder, 'imprint.md'), 'Text\n\n# Imprint')
  await writeFile(join(folder, 'imprint.de.md'), '# Impressum')
  await writeFile(join(folder, 'notes.txt'), 'no page')
  const found = readConfig({ PLATEN_SHOP_PAGES_DIR: folder }).look.pages
  assert.deepEqual(
    found.map(({ name, language }) => [name, language]),
    [
      ['imprint', 'de'],
      ['imprint', undefined],
    ],
  )
  for (const [file, text, message] of [
    ['Imprint.md', '# A', /"Imprint.md". Names consist of/],
    ['imprint.xx.md', '# A', /"imprint.xx.md".*de, en/],
    ['plain.md', 'no heading', /"plain.md", which has no heading/],
    ['long.md', `# A\n${'x'.repeat(257 * 1024)}`, /"long.md".*256 KiB/],
  ] as const) {
    await writeFile(join(folder, file), text)
    refuses({ PLATEN_SHOP_PAGES_DIR: folder }, message)
    await rm(join(folder, file))
  }
  refuses({ PLATEN_SHOP_PAGES_DIR: join(folder, 'imprint.md') }, /not a folder/)
  refuses({ PLATEN_SHOP_PAGES_DIR: '/no/such/folder' }, /ENOENT/)
})
