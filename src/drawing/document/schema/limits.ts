export const DOCUMENT_LIMITS = {
  layers: 200,
  placements: 50,
  textLength: 10_000,
  /**
   * Limits the length of all texts and QR values of a document together. The service processes them synchronously, so
   * this limit bounds the time of a request.
   */
  totalTextLength: 20_000,
  pathLength: 65_536,
  /**
   * Limits the length of all path data of a document together. The service reads and measures path data synchronously,
   * so this limit bounds the time of a request.
   */
  totalPathLength: 200_000,
  /** Limits the dashes of all strokes of a document together. `countDashes` counts them. */
  dashes: 20_000,
  sizeMm: 10_000,
  /** The longest text that a QR code can hold (version 40, level L, digits only). */
  qrLength: 7_089,
} as const
