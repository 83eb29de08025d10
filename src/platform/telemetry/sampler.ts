import type { SpanRecorder } from './span.ts'

/** Samplers of the OpenTelemetry specification. With `parentbased_`, the decision of the parent applies if there is one. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof SAMPLERS)[number]

/** @param ratio share of the traces that `traceidratio` records, from 0 to 1 */
export function createSampler(name: SamplerName, ratio: number): SpanRecorder['isSampled'] {
  const isParentBased = name.startsWith('parentbased_')
  const ofRoot = isParentBased ? name.slice('parentbased_'.length) : name
  const bound = ofRoot === 'always_on' ? 1 : ofRoot === 'always_off' ? 0 : ratio
  return (traceId, parent) => {
    if (isParentBased && parent !== undefined) return parent.isSampled
    // All processes decide equally, because the decision depends on the id only.
    return Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < bound
  }
}
