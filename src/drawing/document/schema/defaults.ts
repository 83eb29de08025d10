// The defaults are apart from the schemas, because a page needs them as soon as it shows a design.

/** Defaults of the optional fields that every layer has. */
export const BASE_DEFAULTS = { rotation: 0, opacity: 1 }

export const TEXT_DEFAULTS = {
  ...BASE_DEFAULTS,
  fontWeight: 400,
  fontStyle: 'normal',
  color: '#000000',
  align: 'left',
  verticalAlign: 'top',
  lineHeight: 1.2,
  letterSpacing: 0,
} as const

export const IMAGE_DEFAULTS = { ...BASE_DEFAULTS, fit: 'cover', flipX: false, flipY: false } as const

export const QR_DEFAULTS = {
  ...BASE_DEFAULTS,
  errorCorrection: 'M',
  color: '#000000',
  background: '#FFFFFF',
} as const
