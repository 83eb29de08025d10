import type { MessageKey } from '@platen/ui'

/** For how many seconds an old secret stays valid beside the new one. */
export const OVERLAPS = [
  { id: '0', text: 'consoleDevelopers.overlapNone' },
  { id: '3600', text: 'consoleDevelopers.overlapHour' },
  { id: '86400', text: 'consoleDevelopers.overlapDay' },
  { id: '604800', text: 'consoleDevelopers.overlapWeek' },
] as const satisfies readonly { id: string; text: MessageKey }[]
