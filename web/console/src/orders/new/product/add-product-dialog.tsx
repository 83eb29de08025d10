import type { Product } from '@platen/client'
import { NativeSelect, useTexts } from '@platen/ui'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../../parts/form/form-dialog.tsx'
import { pictureProblemText, templateProblemText } from '../problem-text.ts'
import { designsOf, productsOnSaleQuery, templatesOfQuery } from '../queries.ts'
import { makeDesign } from './make-design.ts'
import { PictureFields } from './picture-fields.tsx'

export interface AddProductDialogProps {
  customerId: string
  onClose(): void
  /** Called with the id of the new design, once the form knows it. */
  onDone(designId: string): void
}

const NO_PICTURES: ReadonlyMap<string, File> = new Map()

/** Makes a design of a product for the customer, from a template or from pictures that the customer has sent. */
export function AddProductDialog({ customerId, onClose, onDone }: AddProductDialogProps) {
  const { text } = useTexts()
  const client = useQueryClient()
  const products = useQuery(productsOnSaleQuery()).data ?? []
  const [chosen, setChosen] = useState({ productId: '', variantId: '', templateId: '' })
  const [pictures, setPictures] = useState(NO_PICTURES)
  const product = products.find(({ id }) => id === chosen.productId)
  const make = useMutation({
    mutationFn: async (of: Product) => {
      const { variantId, templateId } = chosen
      return makeDesign(
        { product: of, variantId, templateId: templateId === '' ? undefined : templateId, pictures },
        customerId,
      )
    },
    onSuccess: async (designId) => {
      await client.invalidateQueries({ queryKey: designsOf(customerId) })
      onDone(designId)
    },
  })
  const hasContent =
    chosen.templateId !== '' ||
    (pictures.size > 0 && product?.printAreas.every(({ id, required }) => !required || pictures.has(id)) === true)
  return (
    <FormDialog
      title={text('consoleNewOrder.addProduct')}
      confirmLabel={text('consoleNewOrder.addProduct')}
      isDisabled={chosen.variantId === '' || !hasContent}
      action={make}
      problemText={chosen.templateId === '' ? pictureProblemText : templateProblemText}
      onConfirm={() => product !== undefined && make.mutate(product)}
      onClose={onClose}
    >
      <NativeSelect
        label={text('console.product')}
        placeholder={text('consoleNewOrder.chooseProduct')}
        choices={products.map(({ id, name }) => ({ id, text: name }))}
        isRequired
        autoFocus
        value={chosen.productId}
        onChange={(productId) => {
          const only = variantsOf(products.find(({ id }) => id === productId))
          setChosen({ productId, variantId: only.length === 1 ? (only[0]?.id ?? '') : '', templateId: '' })
          setPictures(NO_PICTURES)
        }}
      />
      {product === undefined ? null : (
        <>
          <NativeSelect
            label={text('consoleNewOrder.variant')}
            placeholder={text('consoleNewOrder.chooseVariant')}
            choices={variantsOf(product).map(({ id, options, sku }) => ({
              id,
              text: Object.values(options).join(', ') || sku,
            }))}
            isRequired
            value={chosen.variantId}
            onChange={(variantId) => setChosen({ ...chosen, variantId })}
          />
          <TemplateField
            productId={product.id}
            value={chosen.templateId}
            onChange={(templateId) => setChosen({ ...chosen, templateId })}
          />
          {chosen.templateId === '' ? (
            <PictureFields areas={product.printAreas} pictures={pictures} onChange={setPictures} />
          ) : null}
        </>
      )}
    </FormDialog>
  )
}

const variantsOf = (product: Product | undefined) => product?.variants.filter(({ available }) => available) ?? []

interface TemplateFieldProps {
  productId: string
  value: string
  onChange(templateId: string): void
}

/** The templates of a product. Shows nothing if there are none. */
function TemplateField({ productId, value, onChange }: TemplateFieldProps) {
  const { text } = useTexts()
  const templates = useQuery(templatesOfQuery(productId)).data ?? []
  const chosen = templates.find(({ id }) => id === value)
  if (templates.length === 0) return null
  return (
    <>
      <NativeSelect
        label={text('consoleNewOrder.startFrom')}
        placeholder={text('consoleNewOrder.ownPictures')}
        choices={templates.map(({ id, name }) => ({ id, text: text('consoleNewOrder.template', { name }) }))}
        value={value}
        onChange={onChange}
      />
      {chosen === undefined ? null : (
        <img className="template-picture" src={`${chosen.previewUrl}?width=320`} alt={chosen.name} />
      )}
    </>
  )
}
