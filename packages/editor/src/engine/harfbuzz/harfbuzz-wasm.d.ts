// In a build, the WebAssembly file of the package is replaced by its translation: see web/translate-harfbuzz.ts.
declare module 'harfbuzzjs/dist/harfbuzz.wasm' {
  /** Returns the exports of a new instance. */
  export function instantiate(imports: object): Record<string, unknown>
}
