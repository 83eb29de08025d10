// Loaded into the processes of the tests: the service starts its other programs from their bundles, as `npm start` does.
// A program of the sources loads a thousand modules, which takes three times the processor time.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BUNDLES, withBundles } from './programs.ts'

const SOURCES = new URL('../../../src/', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith(SOURCES) || loaded.source == null) return loaded
    const urlOf = (name: string) => `new URL(${JSON.stringify(pathToFileURL(join(BUNDLES, `${name}.js`)))})`
    return { ...loaded, source: withBundles(String(loaded.source), fileURLToPath(url), urlOf) }
  },
})
