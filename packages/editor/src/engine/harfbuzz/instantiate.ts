import { checkAllocations, type HarfBuzzExports } from '@platen/drawing/harfbuzz-memory'
import { instantiate } from 'harfbuzzjs/dist/harfbuzz.wasm'

interface Instance {
  exports: HarfBuzzExports
}

/**
 * Instantiates the translated HarfBuzz, as emscripten expects it from the hook of this name. The build passes it to the
 * script that loads HarfBuzz.
 *
 * @param imports the functions that HarfBuzz calls, by the names of their modules
 */
export function instantiateWasm(imports: object, receive: (instance: Instance) => void): void {
  receive({ exports: checkAllocations(instantiate(imports)) })
}
