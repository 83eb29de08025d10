import { classes } from '../../classes.ts'
import { type IconName, PATHS } from './paths.ts'

export type { IconName } from './paths.ts'

/** Icons that point along the line of text, and are mirrored where text runs from right to left. */
const DIRECTIONAL: ReadonlySet<IconName> = new Set([
  'undo',
  'redo',
  'arrow-left',
  'arrow-right',
  'chevron-left',
  'chevron-right',
  'sign-out',
])

export interface IconProps {
  name: IconName
  /** In CSS pixels. */
  size?: number
  className?: string
}

/** An icon in the colour of the text. Screen readers do not see it: the control that contains it has a name. */
export function Icon({ name, size = 24, className }: IconProps) {
  return (
    <svg
      className={classes('pl-icon', DIRECTIONAL.has(name) && 'directional', className)}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
