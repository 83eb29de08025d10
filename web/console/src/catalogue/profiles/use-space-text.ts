import { useTexts } from '@platen/ui'

/** Names the colour space of a profile. */
export function useSpaceText() {
  const { text } = useTexts()
  return (colorSpace: string): string =>
    colorSpace === 'gray' ? text('consoleCatalogue.gray') : colorSpace.toUpperCase()
}
