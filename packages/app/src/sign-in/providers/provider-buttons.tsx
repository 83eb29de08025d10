import { Button, useTexts } from '@platen/ui'
import { signInSettings } from '../../frame/config.ts'
import { signInWith } from './flow.ts'

/** Signs in with the providers of the installation. They lead back to the page `next`. */
export function ProviderButtons({ next }: { next: string }) {
  const { text } = useTexts()
  return signInSettings.providers.map(({ name, title }) => (
    <Button key={name} onPress={() => void signInWith(name, next)}>
      {text('session.signInWithProvider', { provider: title })}
    </Button>
  ))
}
