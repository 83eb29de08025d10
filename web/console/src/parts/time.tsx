import { useTexts } from '@platen/ui'

/** A time as its age, with the exact time as a tooltip and for programs. */
export function Time({ at }: { at: string }) {
  const { formats } = useTexts()
  return (
    <time dateTime={at} title={formats.dateTime(at)}>
      {formats.ago(at)}
    </time>
  )
}
