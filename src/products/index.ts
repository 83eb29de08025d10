export { productRoutes } from './routes.ts'
export { isCurrency, lowestAmount, unitAmountFor } from './rules.ts'
export { seedSampleCatalogue } from './sample/catalogue.ts'
export {
  type PriceTiers,
  PriceTiersBody,
  type PrintArea,
  type Product,
  type ProductBody,
  type ProductImageBody,
  toProductBody,
  type Variant,
} from './schemas.ts'
export {
  findListVersion,
  findProduct,
  findProductVersion,
  listActiveIds,
  listProducts,
  type ProductFilter,
  type VariantLabel,
  variantLabels,
} from './store.ts'
