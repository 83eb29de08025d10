import { DrawnPicture } from '@platen/app/files'
import { platen } from '@platen/app/session'
import { Banner, Button, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { FileButton } from '../../parts/form/file-button.tsx'
import { Section } from '../../parts/page/section.tsx'
import { newLogoQuery } from '../queries.ts'
import { settingsProblemText } from '../settings-problem.tsx'
import type { FieldsProps } from './fields.ts'

export function LogoField({ saved, edits, shop, edit }: FieldsProps) {
  const texts = useTexts()
  const { text } = texts
  const upload = useMutation({
    mutationFn: (file: File) => platen.assets.upload(file),
    onSuccess: ({ id }) => edit({ logoAssetId: id }),
  })
  const isOwn = edits.logoAssetId === undefined ? saved.customized.includes('logo') : edits.logoAssetId !== null
  return (
    <Section title={text('consoleSettings.logo')}>
      <p className="note">{text('consoleSettings.logoHelp')}</p>
      <Logo saved={saved} edits={edits} name={shop.name} />
      {upload.error === null ? null : (
        <Banner tone="danger" isLive>
          {settingsProblemText(texts, upload.error)}
        </Banner>
      )}
      <div className="settings-actions">
        <FileButton
          label={text('consoleSettings.chooseLogo')}
          accept="image/png,image/jpeg,image/webp"
          isPending={upload.isPending}
          onFiles={([file]) => upload.mutate(file)}
        />
        {isOwn ? (
          <Button look="quiet" onPress={() => edit({ logoAssetId: null })}>
            {text('consoleSettings.removeLogo')}
          </Button>
        ) : null}
      </div>
    </Section>
  )
}

/** The logo as it would be after saving. */
export function Logo({ saved, edits, name }: Pick<FieldsProps, 'saved' | 'edits'> & { name: string }) {
  const { text } = useTexts()
  const { logoAssetId } = edits
  if (typeof logoAssetId === 'string') return <NewLogo assetId={logoAssetId} />
  if (saved.logo === null || logoAssetId === null) return <p>{text('consoleSettings.noLogo')}</p>
  const { url, width, height } = saved.logo
  return <img className="logo-picture" src={`${url}?width=640`} width={width} height={height} alt={name} />
}

export function NewLogo({ assetId }: { assetId: string }) {
  const { text } = useTexts()
  const picture = useQuery(newLogoQuery(assetId))
  return (
    <div className="logo-picture">
      <DrawnPicture
        picture={picture.data}
        isError={picture.error !== null}
        size={{ width: 160, height: 40 }}
        label={text('consoleSettings.newLogo')}
      />
    </div>
  )
}
