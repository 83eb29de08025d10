import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { isCancelled } from '@platen/app/sign-in'
import type { ColorProfile, Product } from '@platen/client'
import { Banner, Button, EmptyState, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import { FileButton } from '../../parts/form/file-button.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Time } from '../../parts/time.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { Failure } from '../../shell/failure.tsx'
import { catalogueProblemText } from '../catalogue-problem-text.ts'
import { CatalogueViews } from '../list/catalogue-views.tsx'
import { allProductsQuery, CATALOGUE, colorProfilesQuery } from '../queries.ts'
import { useProfileFields } from './use-profile-fields.ts'
import { useSpaceText } from './use-space-text.ts'

/** The printing conditions of print files, and which products have them. */
export function ProfileListPage() {
  const { text } = useTexts()
  const profiles = useQuery(colorProfilesQuery())
  const [removed, setRemoved] = useState<ColorProfile>()
  const columns = useColumns(setRemoved)
  const fields = useProfileFields()
  const rows = profiles.data
  if (profiles.error !== null && rows === undefined) {
    return <Failure error={profiles.error} onRetry={() => void profiles.refetch()} />
  }
  return (
    <Page title={text('consoleCatalogue.colorProfiles')}>
      <CatalogueViews />
      <p className="note page-help">{text('consoleCatalogue.colorProfilesHelp')}</p>
      <Upload />
      {rows === undefined ? <Loading /> : null}
      {rows?.length === 0 ? <EmptyState icon="image" title={text('consoleCatalogue.noColorProfiles')} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <DataTable
          label={text('consoleCatalogue.colorProfiles')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
      <HistorySection queryKey={CATALOGUE} subject="color_profile" fields={fields} />
      {removed === undefined ? null : <RemoveDialog profile={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  )
}

function Upload() {
  const texts = useTexts()
  const { text } = texts
  // A second sign-in may interrupt the upload, which then continues with the same file.
  const chosen = useRef<File>(undefined)
  const upload = useGuardedAction(CATALOGUE, async () => platen.colorProfiles.upload(chosen.current ?? new Blob()), {
    done: text('consoleCatalogue.doneProfile'),
  })
  return (
    <div className="profile-upload">
      <FileButton
        label={text('consoleCatalogue.chooseProfile')}
        accept=".icc,.icm,application/vnd.iccprofile"
        isPending={upload.isPending}
        onFiles={([file]) => {
          chosen.current = file
          upload.mutate()
        }}
      />
      {upload.error === null || isCancelled(upload.error) ? null : (
        <Banner tone="danger" isLive>
          {catalogueProblemText(texts, upload.error)}
        </Banner>
      )}
    </div>
  )
}

function useColumns(remove: (profile: ColorProfile) => void): readonly Column<ColorProfile>[] {
  const { text, formats } = useTexts()
  const spaceText = useSpaceText()
  const products = useQuery(allProductsQuery()).data
  const usersOf = ({ id }: ColorProfile): Product[] => products?.filter((one) => one.outputProfileId === id) ?? []
  return [
    { id: 'profile', title: text('consoleCatalogue.colorProfile'), cell: ({ description }) => description },
    {
      id: 'space',
      title: text('consoleCatalogue.colorSpace'),
      from: 30,
      cell: ({ colorSpace }) => spaceText(colorSpace),
    },
    {
      id: 'products',
      title: text('consoleCatalogue.usedBy'),
      cell: (profile) => <Products products={usersOf(profile)} />,
    },
    {
      id: 'size',
      title: text('consoleCatalogue.size'),
      from: 60,
      isNumber: true,
      cell: ({ bytes }) => formats.bytes(bytes),
    },
    {
      id: 'added',
      title: text('consoleCatalogue.added'),
      from: 60,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      id: 'actions',
      title: text('consoleCatalogue.actions'),
      isTitleHidden: true,
      from: 30,
      cell: (profile) =>
        products === undefined || usersOf(profile).length > 0 ? null : (
          <Button look="quiet" onPress={() => remove(profile)}>
            {text('consoleCatalogue.remove')}
            <span className="visually-hidden"> {profile.description}</span>
          </Button>
        ),
    },
  ]
}

function Products({ products }: { products: readonly Product[] }) {
  if (products.length === 0) return '–'
  return (
    <ul className="profile-products">
      {products.map(({ id, name }) => (
        <li key={id}>
          <Link href={`/catalogue/${id}`}>{name}</Link>
        </li>
      ))}
    </ul>
  )
}

function RemoveDialog({ profile, onClose }: { profile: ColorProfile; onClose(): void }) {
  const { text } = useTexts()
  const [{ id, description }] = useState(profile)
  const removal = useGuardedAction(CATALOGUE, () => platen.colorProfiles.delete(id), {
    done: text('consoleCatalogue.doneRemoveProfile', { name: description }),
    onDone: onClose,
  })
  return (
    <FormDialog
      title={text('consoleCatalogue.removeProfile')}
      confirmLabel={text('consoleCatalogue.remove')}
      isDanger
      problemText={catalogueProblemText}
      action={removal}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      <p>{text('consoleCatalogue.removeProfileHelp', { name: description })}</p>
    </FormDialog>
  )
}
