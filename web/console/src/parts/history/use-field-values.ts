import { type MessageKey, useTexts } from '@platen/ui'

/** Says in words what a member is called, and what its value is if no page knows it better. */
export function useFieldValues(names: Readonly<Record<string, MessageKey>>) {
  const { text, formats } = useTexts()
  return {
    /** @param pointer a JSON Pointer, of which the last known member is named */
    memberName: (pointer: string): string => {
      const member = pointer.split('/').findLast((name) => names[name] !== undefined)
      const key = member === undefined ? undefined : names[member]
      return key === undefined ? pointer.slice(1) : text(key)
    },
    valueText: (value: unknown): string => {
      if (value === null || value === '') return '–'
      if (typeof value === 'boolean') return text(value ? 'consoleHistory.yes' : 'consoleHistory.no')
      if (typeof value === 'number') return formats.number(value, { maximumFractionDigits: 3 })
      if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(', ')
      return typeof value === 'string' ? value : JSON.stringify(value)
    },
  }
}
