import { DrawnPicture } from '@platen/app/files'
import { platen } from '@platen/app/session'
import { Banner, IconButton, ProgressBar, TextField, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { FileButton } from '../../../parts/form/file-button.tsx'
import { Section } from '../../../parts/page/section.tsx'
import { catalogueProblemText } from '../../catalogue-problem-text.ts'
import { newPictureQuery } from '../../queries.ts'
import { type DraftImage, newKey } from '../draft/draft.ts'
import { type DraftProps, useErrorAt } from '../draft/draft-props.ts'

const MOST_PICTURES = 10

/** The pictures of the shop, the main one first. */
export function PicturesSection({ state }: DraftProps) {
  const texts = useTexts()
  const { text } = texts
  const { draft, set } = state
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      for (const file of files) {
        const { id: assetId } = await platen.assets.upload(file)
        const image: DraftImage = { key: newKey(), assetId, alt: '', url: undefined }
        set(({ images }) => ({ images: [...images, image] }))
      }
    },
  })
  return (
    <Section title={text('consoleCatalogue.pictures')}>
      <p className="note">{text('consoleCatalogue.picturesHelp')}</p>
      <ol className="pictures">
        {draft.images.map((image, index) => (
          <PictureRow key={image.key} state={state} image={image} index={index} />
        ))}
      </ol>
      {upload.error === null ? null : (
        <Banner tone="danger" isLive>
          {catalogueProblemText(texts, upload.error)}
        </Banner>
      )}
      {upload.isPending ? <ProgressBar isIndeterminate label={text('consoleCatalogue.uploading')} /> : null}
      <FileButton
        label={text('consoleCatalogue.addPictures')}
        accept="image/png,image/jpeg,image/webp"
        isMultiple
        isPending={upload.isPending}
        isDisabled={draft.images.length >= MOST_PICTURES}
        onFiles={(files) => upload.mutate(files.slice(0, MOST_PICTURES - draft.images.length))}
      />
    </Section>
  )
}

interface PictureRowProps extends DraftProps {
  image: DraftImage
  index: number
}

function PictureRow({ state, image, index }: PictureRowProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { images } = state.draft
  const number = index + 1
  const move = (to: number): void => {
    const others = images.filter(({ key }) => key !== image.key)
    state.set({ images: [...others.slice(0, to), image, ...others.slice(to)] })
  }
  return (
    <li className="picture-row">
      <Picture image={image} number={number} />
      <TextField
        label={text('consoleCatalogue.alt', { number })}
        description={index === 0 ? text('consoleCatalogue.altHelp') : undefined}
        value={image.alt}
        maxLength={300}
        onChange={(alt) => state.set({ images: images.map((one) => (one === image ? { ...image, alt } : one)) })}
        error={errorAt(`/images/${index}/assetId`) ?? errorAt(`/images/${index}/alt`)}
      />
      <div className="picture-actions">
        <IconButton
          icon="arrow-up"
          label={text('consoleCatalogue.pictureUp', { number })}
          isDisabled={index === 0}
          onPress={() => move(index - 1)}
        />
        <IconButton
          icon="arrow-down"
          label={text('consoleCatalogue.pictureDown', { number })}
          isDisabled={number === images.length}
          onPress={() => move(number)}
        />
        <IconButton
          icon="trash"
          label={text('consoleCatalogue.pictureRemove', { number })}
          onPress={() => state.set({ images: images.filter(({ key }) => key !== image.key) })}
        />
      </div>
    </li>
  )
}

function Picture({ image: { assetId, url, alt }, number }: { image: DraftImage; number: number }) {
  if (url !== undefined) return <img className="picture-small" src={`${url}?width=160`} alt={alt} />
  return <NewPicture assetId={assetId} number={number} />
}

function NewPicture({ assetId, number }: { assetId: string; number: number }) {
  const { text } = useTexts()
  const picture = useQuery(newPictureQuery(assetId))
  return (
    <div className="picture-small">
      <DrawnPicture
        picture={picture.data}
        isError={picture.error !== null}
        size={{ width: 160, height: 120 }}
        label={text('consoleCatalogue.newPicture', { number })}
      />
    </div>
  )
}
