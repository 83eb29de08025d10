import { Banner, Button } from '@platen/ui'
import { useSyncExternalStore } from 'react'
import type { Engine } from '../engine/index.ts'
import { useEditor } from '../state/use-editor.ts'

/** Says which fonts could not be loaded, because their texts are missing on the stage. */
export function FontNotice({ engine: { fonts } }: { engine: Engine }) {
  const { text, locale } = useEditor()
  const names = useSyncExternalStore(fonts.onChange, () => {
    const families = [...new Set(fonts.problems.map(({ family }) => family))]
    return new Intl.ListFormat(locale).format(families)
  })
  if (names === '') return null
  return (
    <div className="pe-font-notice">
      <Banner tone="warning" isLive action={<Button onPress={() => fonts.retry()}>{text('retry')}</Button>}>
        {text('fontUnavailable', { names })}
      </Banner>
    </div>
  )
}
