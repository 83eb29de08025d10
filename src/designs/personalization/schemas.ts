import { Type } from 'typebox'

export const VALUES_PER_ITEM = 100
export const VALUE_LENGTH = 2000
/** Allows no control characters except line breaks and tabs. */
export const VALUE_PATTERN = '^(?:[^\\p{Cc}]|[\\n\\r\\t])*$'

/**
 * Texts by the name of their placeholder. The actions reject blank texts, because only they know the placeholders of
 * the design.
 */
export const PlaceholderValuesInput = Type.Record(
  Type.String(),
  Type.String({ maxLength: VALUE_LENGTH, pattern: VALUE_PATTERN }),
  { maxProperties: VALUES_PER_ITEM, description: 'Texts for the placeholders of the design, by name.' },
)
