import type { ListedTemplate, Product } from '@platen/client'
import { Banner, Button, useTexts } from '@platen/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNewDesign } from '../designs/use-new-design.ts'
import { problemText } from '../shell/failures/problem-text.ts'
import { templatesQuery } from './queries.ts'

interface TemplateListProps {
  product: Product
  /** The variant of the new design; undefined if none is available. */
  variantId: string | undefined
}

/** The templates of a product, each of which starts a design. Shows nothing if there are none. */
export function TemplateList({ product, variantId }: TemplateListProps) {
  const texts = useTexts()
  const { text } = texts
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(templatesQuery(product.id))
  const newDesign = useNewDesign()
  const templates = data?.pages.flatMap((page) => page.data) ?? []
  if (templates.length === 0) return null
  return (
    <section className="templates" aria-labelledby="templates">
      <h2 id="templates">{text('shop.templates')}</h2>
      {newDesign.error === null ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, newDesign.error)}
        </Banner>
      )}
      <ul>
        {templates.map((template) => (
          <li key={template.id}>
            <Button
              look="quiet"
              className="template"
              isDisabled={variantId === undefined || newDesign.isPending}
              onPress={() => {
                if (variantId !== undefined) newDesign.mutate({ product, variantId, template })
              }}
            >
              <Picture template={template} />
              <span>{template.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {text('shop.moreTemplates')}
        </Button>
      ) : null}
    </section>
  )
}

function Picture({ template }: { template: ListedTemplate }) {
  return <img alt="" src={`${template.previewUrl}?width=320`} loading="lazy" decoding="async" />
}
