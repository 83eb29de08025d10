import { Button, useTexts } from '@platen/ui'
import { signInSettings } from '../../shell/config.ts'
import { useNextPage } from '../next-page.ts'
import { signInWith } from './flow.ts'

/** Signs in with the providers of the installation. */
export function ProviderButtons() {
  const { text } = useTexts()
  const next = useNextPage()
  return signInSettings.providers.map(({ name, title }) => (
    <Button key={name} onPress={() => void signInWith(name, next)}>
      {text('shop.signInWithProvider', { provider: title })}
    </Button>
  ))
}
