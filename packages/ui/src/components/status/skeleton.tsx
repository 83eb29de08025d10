import { classes } from '../../classes.ts'

/** Takes the place of content that is loading. Say elsewhere that it loads: a screen reader does not see skeletons. */
export function Skeleton({ shape = 'line', className }: { shape?: 'line' | 'block'; className?: string }) {
  return <span className={classes('pl-skeleton', shape, className)} aria-hidden />
}
