import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'
import { compileMessages } from './compile-messages.ts'
import { harfbuzzWithoutWebAssembly } from './harfbuzz-plugin.ts'
import { repeatableImports } from './repeatable-imports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The browsers that implement everything the applications use: since about the end of 2024. */
const BROWSERS = ['chrome123', 'edge123', 'firefox128', 'safari17.5']

/** What every first page needs of the components. Without a group, each combination of its users would be a file. */
const COMPONENTS =
  /\/packages\/ui\/src\/(classes|i18n\/(?!console-)|modules\/|components\/(icon\/|actions\/button|status\/(banner|empty-state|notice-queue|skeleton)))/

/** What each application with a session needs before its first page. */
const FRAME = /\/packages\/app\/src\/(frame|session)\/|\/node_modules\/(@tanstack|wouter|regexparam)\//

const FIRST_PAGE =
  /\/web\/shop\/src\/(shell|session|cart\/use-cart-items|catalogue\/(catalogue-page|product-card|product-picture|queries)|pages|app)\b/

/** What the console needs for each of its pages. */
const CONSOLE =
  /\/web\/console\/src\/(shell|access\/(gate|may-use)|keys\/(keys|shortcuts)|live|parts|app|pages|(?:[\w-]+\/)+page)\b/

/** Libraries that the shop, the console and the editor need for each of their pages. */
const LIBRARIES = /\/node_modules\/(react|react-dom|scheduler|use-sync-external-store|intl-messageformat|@formatjs)\//

const imports = repeatableImports()

export const config: InlineConfig = {
  root: join(ROOT, 'web'),
  configFile: false,
  experimental: {
    // Modules name each other by relative URLs, because a page of another origin may load the editor.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
  publicDir: false,
  logLevel: 'warn',
  plugins: [
    compileMessages,
    imports.plugin,
    react(),
    harfbuzzWithoutWebAssembly(),
    optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }),
  ],
  resolve: { alias: { '@platen/client': join(ROOT, 'packages/client/src/index.ts') } },
  build: {
    outDir: join(ROOT, 'web/dist'),
    emptyOutDir: true,
    target: BROWSERS,
    // The policy of the pages forbids `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: imports.modulePreload,
    reportCompressedSize: false,
    // `npm start` shows warnings to operators, who can change nothing about sizes and times of the build. Tests limit sizes.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: {
        shop: join(ROOT, 'web/shop/index.html'),
        console: join(ROOT, 'web/console/index.html'),
        'platen-editor': join(ROOT, 'packages/editor/src/element.tsx'),
      },
      output: {
        // Pages of other origins name this file, so its name has no hash.
        entryFileNames: ({ name }) => (name === 'platen-editor' ? 'embed/platen-editor.js' : 'static/[name]-[hash].js'),
        chunkFileNames: 'static/[name]-[hash].js',
        assetFileNames: 'static/[name]-[hash][extname]',
        codeSplitting: {
          // What the first page needs of an application would otherwise be a dozen small files, which compress badly.
          // Nothing of it may be part of a file of the editor, because other pages must not run the shop.
          includeDependenciesRecursively: false,
          groups: [
            { name: 'components', test: COMPONENTS },
            { name: 'frame', test: FRAME },
            { name: 'first-page', test: FIRST_PAGE },
            { name: 'libraries', test: LIBRARIES },
            { name: 'console-frame', test: CONSOLE },
          ],
        },
      },
      preserveEntrySignatures: 'allow-extension',
    },
  },
}
