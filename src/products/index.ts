export { productRoutes } from './routes.ts'
export { isCurrency, unitAmountFor } from './rules.ts'
export { seedSampleCatalogue } from './sample/catalogue.ts'
export {
  type PriceTiers,
  PriceTiersBody,
  type PrintArea,
  type Product,
  type Variant,
} from './schemas.ts'
export { findProduct, findVariantLabels } from './store.ts'
