export { useDeviceName } from './device-name.ts'
export { iconOfEvent, isWorthKnowing, textOfEvent } from './event-texts.ts'
export { useNewKey } from './new-key.ts'
export { PERMISSIONS, permissionsOf } from './permissions.ts'
