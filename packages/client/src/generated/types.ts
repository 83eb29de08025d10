// Written by `npm run client` from openapi.json. Change the contract instead of this file.

export interface ChangeActor {
  userId: string
  /** Null without a name, and for an erased account. */
  name: string | null
  /** Email address of staff. Null for customers, and for an erased account. */
  email: string | null
  /** The API key of the user with which the request was made. */
  apiKey?: {
    id: string
    /** Null once the revoked key is deleted. */
    name: string | null
  }
}

export interface ChangedProductField {
  /** JSON Pointer into the product. Entries of `printAreas`, `variants` and `images` are named by their ids instead of their positions, such as `/variants/var_01h455vb4pex5vsknk084sn02q/weightGrams`. A pointer to such a list states the order of its ids. */
  pointer: string
  /** Absent if there was no value before. */
  before?: unknown
  /** Absent if there is no value any more. */
  after?: unknown
}

export interface ProductChange {
  id: string
  /** The revision of the product that the change made. */
  revision: number
  type: "created" | "changed" | "archived" | "restored" | "imported"
  actor: ChangeActor
  changes: ChangedProductField[]
  createdAt: string
}

export interface ProductChangeList {
  data: ProductChange[]
  nextCursor: string | null
}

export type InsufficientRoleProblem = Problem & {
  code: "insufficient_role"
  /** The lowest role that may do this. */
  requiredRole: string
}

export type InsufficientScopeProblem = Problem & {
  code: "insufficient_scope"
  /** The missing permission. */
  permission: string
}

export interface PriceTier {
  /** Smallest quantity with this price. The quantity of each order item is counted separately. */
  minQuantity: number
  /** Price of one piece, in minor units of the currency of the product. */
  unitAmount: number
}

export interface PreviewPricesRequest {
  /** ISO 4217 code of the currency of every price. */
  currency: string
  priceTiers: PriceTier[]
  quantities: number[]
}

export interface PricePreview {
  /** In the order of `quantities`. */
  prices: {
    quantity: number
    unitAmount: {
      amount: number
      currency: string
    }
    totalAmount: {
      amount: number
      currency: string
    }
  }[]
}

export interface PrintArea {
  /** Unique within the product. Placements of designs refer to it. */
  id: string
  name: string
  /** Width of the trim box. Millimetres, at most 3 decimals. */
  widthMm: number
  /** Height of the trim box. Millimetres, at most 3 decimals. */
  heightMm: number
  /** Area beyond each trim edge that is printed and cut off. Millimetres, at most 3 decimals. */
  bleedMm: number
  /** Area inside each trim edge that text must not enter. Millimetres, at most 3 decimals. */
  safeMarginMm: number
  /** Recommended resolution of images. */
  targetDpi: number
  /** Resolution below which an image is a preflight error, at most `targetDpi`. Default: half of `targetDpi`. */
  minDpi?: number
  /** Whether a design must place at least one layer here. */
  required: boolean
  /** `rectangle` (default): the product is cut along the trim box. `ellipse`: it is cut along the ellipse inscribed in the trim box; safe margin and bleed are measured at right angles to the ellipse. The print file always covers the whole bleed box. */
  shape?: "rectangle" | "ellipse"
  /** `spot`: the print file contains the trim edge as a hairline of 0.25 pt in the spot colour `CutContour`, overprinting, on an optional layer of that name. Default: no cut path. */
  cutPath?: "spot" | "none"
}

export interface ProductOption {
  name: string
  values: string[]
}

export interface Variant {
  id: string
  /** Stock-keeping unit, unique within the product. */
  sku: string
  /** One value for each option of the product, by name of the option. */
  options: Record<string, string>
  /** Weight of one piece in grams. */
  weightGrams: number
  priceTiers: PriceTier[]
  /** Whether the variant can currently be designed and ordered. */
  available: boolean
}

export interface ProductImage {
  id: string
  /** Path below the origin of the service. It needs no credential, and `?width=` selects the size of the image. */
  url: string
  /** Text for readers who do not see the image. */
  alt: string
}

export interface Product {
  id: string
  name: string
  description: string
  status: "active" | "archived"
  /** ISO 4217 code of the currency of every price. */
  currency: string
  printAreas: PrintArea[]
  /** Id of the colour profile of the printing condition for which print files of this product are made. Absent for sRGB. */
  outputProfileId?: string
  options: ProductOption[]
  variants: Variant[]
  /** Pictures of the product, the main one first. */
  images: ProductImage[]
  /** Names of categories, under which shops list the product. */
  categories: string[]
  /** A longer description in CommonMark. A client that shows it must not run HTML that it contains. */
  descriptionMarkdown: string
  /** Lists show products with a lower number first. Equal numbers are in the order of the names. */
  sort: number
  /** Counts the changes of the product. The `ETag` contains it. */
  revision: number
  createdAt: string
  updatedAt: string
}

export interface ProductList {
  data: Product[]
  nextCursor: string | null
}

export interface NewVariant {
  /** Stock-keeping unit, unique within the product. */
  sku: string
  /** One value for each option of the product, by name of the option. */
  options?: Record<string, string>
  /** Weight of one piece in grams. */
  weightGrams: number
  priceTiers: PriceTier[]
  /** Whether the variant can currently be designed and ordered. */
  available?: boolean
}

export interface NewProductImage {
  /** An asset of the administrator, which becomes an image of the shop, or the `id` of such an image. */
  assetId: string
  /** Text for readers who do not see the image. */
  alt: string
}

export interface CreateProductRequest {
  name: string
  description?: string
  /** ISO 4217 code of the currency of every price. */
  currency: string
  printAreas: PrintArea[]
  /** Id of the colour profile of the printing condition for which print files of this product are made. Absent for sRGB. */
  outputProfileId?: string
  options?: ProductOption[]
  variants: NewVariant[]
  /** Pictures of the product, the main one first. */
  images?: NewProductImage[]
  /** Names of categories, under which shops list the product. */
  categories?: string[]
  /** A longer description in CommonMark. A client that shows it must not run HTML that it contains. */
  descriptionMarkdown?: string
  /** Lists show products with a lower number first. Equal numbers are in the order of the names. */
  sort?: number
}

export type StorageQuotaExceededProblem = Problem & {
  code: "storage_quota_exceeded"
  /** Bytes in use. */
  used: number
  /** Limit in bytes. */
  quota: number
}

export interface ChangedVariant {
  /** Id of an existing variant. Omit it for a new one. */
  id?: string
  /** Stock-keeping unit, unique within the product. */
  sku: string
  /** One value for each option of the product, by name of the option. */
  options?: Record<string, string>
  /** Weight of one piece in grams. */
  weightGrams: number
  priceTiers: PriceTier[]
  /** Whether the variant can currently be designed and ordered. */
  available?: boolean
}

export interface ChangeProductRequest {
  name?: string
  description?: string
  /** ISO 4217 code of the currency of every price. */
  currency?: string
  status?: "active" | "archived"
  printAreas?: PrintArea[]
  /** Id of the colour profile of the printing condition for which print files of this product are made. Absent for sRGB. `null` removes it. */
  outputProfileId?: string | null
  options?: ProductOption[]
  /** All variants. A variant that the list omits is removed. */
  variants?: ChangedVariant[]
  /** Pictures of the product, the main one first. */
  images?: NewProductImage[]
  /** Names of categories, under which shops list the product. */
  categories?: string[]
  /** A longer description in CommonMark. A client that shows it must not run HTML that it contains. */
  descriptionMarkdown?: string
  /** Lists show products with a lower number first. Equal numbers are in the order of the names. */
  sort?: number
}

export type PreconditionFailedProblem = Problem & {
  code: "precondition_failed"
  /** In operations on an order: the present order. */
  order?: Record<string, unknown>
  /** In changes of a product: the present product. */
  product?: Record<string, unknown>
  /** In changes of the shop: the present settings. */
  shopSettings?: Record<string, unknown>
  /** In changes of the text of a mail: the present text. */
  mailText?: Record<string, unknown>
}

export interface ChangedField {
  /** JSON Pointer into the subject. Tax rates are named by their country and region, such as `/rates/US-CA/basisPoints`, zones of shipping methods by their position, and parts of products by their ids. */
  pointer: string
  /** Absent if there was no value before. */
  before?: unknown
  /** Absent if there is no value any more. */
  after?: unknown
}

export interface ChangeRecord {
  id: string
  subject: "product" | "template" | "color_profile" | "shipping_method" | "tax_settings" | "shop" | "mail_text"
  /** Id of what changed, also if it was deleted. For `tax_settings` and `shop`, the same as `subject`. For `mail_text`, kind and language, such as `order_paid/en`. */
  subjectId: string
  /** Its name after the change, or before the deletion. Null if it has no name. */
  subjectName: string | null
  /** The `revision` that the change made. Null if the subject has none. */
  revision: number | null
  type: "created" | "changed" | "archived" | "restored" | "imported" | "deleted"
  actor: ChangeActor
  changes: ChangedField[]
  createdAt: string
}

export interface ChangeRecordList {
  data: ChangeRecord[]
  nextCursor: string | null
}

export interface ShopSchemeColors {
  /** Texts and links in the colour of the shop. */
  accent: string
  /** Background of pages. */
  background: string
  /** Buttons. */
  fill: string
  /** Texts on buttons. */
  onFill: string
  /** Whether texts and links, or buttons, are darker or lighter than the colour of the shop. Otherwise their contrast would be below WCAG 2.2 AA. */
  isAdjusted: boolean
}

export interface ShopColors {
  light: ShopSchemeColors
  dark: ShopSchemeColors
}

export interface ShopLogo {
  /** URL path of the logo. It needs no credential. */
  url: string
  /** In pixels. */
  width: number
  /** In pixels. */
  height: number
}

export interface ShopSettings {
  name: string
  /** Email address for questions of customers. */
  supportEmail: string | null
  /** The first one is for readers of all other languages. */
  languages: ("en" | "de")[]
  /** Colour of the shop, in pages and mails. */
  accentColor: string
  colors: ShopColors
  /** Null: the name takes its place. */
  logo: ShopLogo | null
  /** Who gets a new account: `open` everyone, `invitation` invited persons, `closed` invited operators and administrators only. */
  registration: "open" | "invitation" | "closed"
  /** What an administrator has set. All others have the values of the environment. */
  customized: ("registration" | "name" | "supportEmail" | "languages" | "accentColor" | "logo")[]
  /** Number of changes. */
  revision: number
  /** Null until an administrator changes a setting for the first time. */
  updatedAt: string | null
}

export interface ChangeShopSettingsRequest {
  /** Null: the value of the environment (`PLATEN_SHOP_NAME`). */
  name?: string | null
  /** Email address for questions of customers. Null: none. */
  supportEmail?: string | null
  /** Languages of the shop and its mails. The first one is for readers of all others. Null: all that there are. */
  languages?: ("en" | "de")[] | null
  /** Colour of the shop. Null: the value of the environment (`PLATEN_SHOP_COLOR`). */
  accentColor?: string | null
  /** Who gets a new account. Null: the value of the environment (`PLATEN_REGISTRATION`). */
  registration?: "open" | "invitation" | "closed" | null
  /** Id of an image of the caller. Everyone can read it from then on. Null: the value of the environment (`PLATEN_SHOP_LOGO`). */
  logoAssetId?: string | null
}

export interface Asset {
  id: string
  /** Id of the customer who owns it. `shop` for an image of the shop. */
  customerId: string
  mediaType: "image/jpeg" | "image/png" | "image/webp" | "image/tiff"
  bytes: number
  /** Hash of the uploaded bytes. */
  sha256: string
  /** Size after applying the EXIF orientation. */
  widthPx: number
  /** Size after applying the EXIF orientation. */
  heightPx: number
  hasAlpha: boolean
  /** `srgb` is RGB with an sRGB profile or none. `rgb` is RGB with another profile. */
  colorSpace: "srgb" | "rgb" | "gray" | "cmyk" | "lab"
  createdAt: string
}

export interface AssetList {
  data: Asset[]
  nextCursor: string | null
}

export interface UploadAssetRequest {
  /** The service fetches the file from this URL. */
  url: string
}

export interface CreateAssetLinkRequest {
  file: "content" | "thumbnail"
  /** How long the link is valid. */
  expiresInSeconds?: number
}

export interface Link {
  /** URL of the file. It needs no credential, so treat it as a secret. */
  url: string
  expiresAt: string
}

export interface ColorProfile {
  id: string
  /** Name stated in the profile. */
  description: string
  /** Colour space of the device. */
  colorSpace: "rgb" | "gray" | "cmyk"
  bytes: number
  sha256: string
  createdAt: string
}

export interface ColorProfileList {
  data: ColorProfile[]
  nextCursor: string | null
}

export interface Font {
  id: string
  /** Id of the customer who owns it. */
  customerId: string
  /** Family name for `fontFamily` of a text layer. A width other than normal is part of the name. */
  family: string
  weight: number
  style: "normal" | "italic"
  scripts: string[]
  /** Media type of the stored font. WOFF and WOFF2 are stored unpacked. */
  mediaType: "font/ttf" | "font/otf"
  /** Size of the stored font, unpacked and reduced to the tables that rendering reads. */
  bytes: number
  /** Hash of the stored font, which rendering uses. */
  sha256: string
  /** Embedding permission of the maker (OS/2 fsType). */
  embedding: "installable" | "editable" | "preview_and_print"
  createdAt: string
}

export interface FontList {
  data: Font[]
  nextCursor: string | null
}

/** What must not be done with the layer. Locks bind designs that were made from a template. The drawing does not depend on them, except that uploaded fonts are not used for the families of texts with `edit` or `style`. */
export interface LayerLock {
  /** Position, size, rotation, print area and place in the order must not change. */
  move?: boolean
  /** `text`, `value`, `assetId`, `path` and `crop` must not change. */
  edit?: boolean
  /** All other fields must not change. */
  style?: boolean
  /** The layer must not be deleted and keeps its `id`. */
  remove?: boolean
}

export interface TextLayer {
  /** Unique within the document; chosen by the client. */
  id: string
  /** Left edge in millimetres from the trim box, before rotation. */
  x: number
  /** Top edge in millimetres from the trim box, before rotation. */
  y: number
  type: "text"
  /** Width in millimetres. */
  width: number
  /** Height in millimetres. */
  height: number
  /** Degrees clockwise around the centre. */
  rotation?: number
  opacity?: number
  lock?: LayerLock
  /** A name for lists of layers. It is not printed. */
  name?: string
  /** Editors select and move layers with the same group together. It does not change the drawing. */
  group?: string
  /** The `opacity` that a layer gets back when an editor shows it again. Hidden layers have the opacity 0. */
  hiddenOpacity?: number
  /** Wraps in the box of the layer. `{{name}}` is a placeholder, for which each order item can have a text. */
  text: string
  fontFamily: string
  /** The service uses the nearest available weight of the family. */
  fontWeight?: number
  fontStyle?: "normal" | "italic"
  /** Points, 1/72 inch. */
  fontSizePt: number
  /** #RRGGBB or #RRGGBBAA, sRGB. */
  color?: string
  align?: "left" | "center" | "right" | "justify"
  verticalAlign?: "top" | "middle" | "bottom"
  /** Multiple of the font size. */
  lineHeight?: number
  /** Space added between letters, in em. Scripts whose letters join (such as Arabic) ignore it. */
  letterSpacing?: number
}

export interface ImageLayer {
  /** Unique within the document; chosen by the client. */
  id: string
  /** Left edge in millimetres from the trim box, before rotation. */
  x: number
  /** Top edge in millimetres from the trim box, before rotation. */
  y: number
  type: "image"
  /** Width in millimetres. */
  width: number
  /** Height in millimetres. */
  height: number
  /** Degrees clockwise around the centre. */
  rotation?: number
  opacity?: number
  lock?: LayerLock
  /** A name for lists of layers. It is not printed. */
  name?: string
  /** Editors select and move layers with the same group together. It does not change the drawing. */
  group?: string
  /** The `opacity` that a layer gets back when an editor shows it again. Hidden layers have the opacity 0. */
  hiddenOpacity?: number
  /** An uploaded asset. */
  assetId: string
  /** cover fills the box and clips the image, contain shows the whole image, stretch distorts it to fill the box. */
  fit?: "cover" | "contain" | "stretch"
  /** The part of the upright image that is used, before flipping and fitting. */
  crop?: {
    /** Left edge, as a fraction of the image width. */
    x: number
    /** Top edge, as a fraction of the image height. */
    y: number
    /** Fraction of the image width. */
    width: number
    /** Fraction of the image height. */
    height: number
  }
  flipX?: boolean
  flipY?: boolean
}

export interface ShapeLayer {
  /** Unique within the document; chosen by the client. */
  id: string
  /** Left edge in millimetres from the trim box, before rotation. */
  x: number
  /** Top edge in millimetres from the trim box, before rotation. */
  y: number
  type: "shape"
  /** Width in millimetres; 0 only for a vertical line. */
  width: number
  /** Height in millimetres; 0 only for a horizontal line. */
  height: number
  /** Degrees clockwise around the centre. */
  rotation?: number
  opacity?: number
  lock?: LayerLock
  /** A name for lists of layers. It is not printed. */
  name?: string
  /** Editors select and move layers with the same group together. It does not change the drawing. */
  group?: string
  /** The `opacity` that a layer gets back when an editor shows it again. Hidden layers have the opacity 0. */
  hiddenOpacity?: number
  /** A line runs from the box's top left to its bottom right. */
  shape: "rect" | "ellipse" | "line" | "path"
  /** Radius in millimetres. Only for rect. */
  cornerRadius?: number
  /** SVG path data in millimetres from the layer's top left. Only for path. */
  path?: string
  /** #RRGGBB or #RRGGBBAA, sRGB. */
  fill?: string
  stroke?: {
    /** #RRGGBB or #RRGGBBAA, sRGB. */
    color: string
    widthMm: number
    /** Alternating lengths of dashes and gaps in millimetres, as in SVG stroke-dasharray. */
    dashMm?: number[]
  }
}

export interface QrLayer {
  /** Unique within the document; chosen by the client. */
  id: string
  /** Left edge in millimetres from the trim box, before rotation. */
  x: number
  /** Top edge in millimetres from the trim box, before rotation. */
  y: number
  type: "qr"
  /** Width in millimetres. */
  width: number
  /** Height in millimetres. */
  height: number
  /** Degrees clockwise around the centre. */
  rotation?: number
  opacity?: number
  lock?: LayerLock
  /** A name for lists of layers. It is not printed. */
  name?: string
  /** Editors select and move layers with the same group together. It does not change the drawing. */
  group?: string
  /** The `opacity` that a layer gets back when an editor shows it again. Hidden layers have the opacity 0. */
  hiddenOpacity?: number
  value: string
  errorCorrection?: "L" | "M" | "Q" | "H"
  /** Colour of the modules. */
  color?: string
  /** Colour of the box, including the quiet zone. */
  background?: string
}

export type Layer = TextLayer | ImageLayer | ShapeLayer | QrLayer

export interface Placement {
  /** A print area of the design's product. */
  printAreaId: string
  /** The layers, bottom to top. */
  layers: Layer[]
}

export interface DesignDocument {
  version: 1
  placements: Placement[]
}

/** A template. `document` is absent with `view=summary`. */
export interface ListedTemplate {
  id: string
  name: string
  productId: string
  /** Names of categories, under which shops list it. */
  categories: string[]
  /** Path of a preview below the origin of the service. It needs no credential. */
  previewUrl: string
  status: "active" | "archived"
  createdAt: string
  updatedAt: string
  document?: DesignDocument
}

export interface TemplateList {
  data: ListedTemplate[]
  nextCursor: string | null
}

export interface CreateTemplateRequest {
  /** A draft of the administrator. */
  designId: string
  name: string
  /** Names of categories, under which shops list it. */
  categories?: string[]
}

export interface Template {
  id: string
  name: string
  productId: string
  /** Names of categories, under which shops list it. */
  categories: string[]
  /** Path of a preview below the origin of the service. It needs no credential. */
  previewUrl: string
  status: "active" | "archived"
  createdAt: string
  updatedAt: string
  document: DesignDocument
}

export type DesignNotDraftProblem = Problem & {
  code: "design_not_draft"
  designStatus: string
}

export interface ChangeTemplateRequest {
  name?: string
  /** Names of categories, under which shops list it. */
  categories?: string[]
}

export type EmptyRequest = Record<string, never>

export interface PreflightIssue {
  /** Stable identifier. Later versions may add codes. */
  code: string
  severity: "error" | "warning"
  /** JSON Pointer (RFC 6901) from the root of the design's document. */
  pointer: string
  message: string
  measured?: number
  limit?: number
  unit?: string
  /** JSON Patch (RFC 6902) on the document that resolves this issue and causes no other issue. */
  fix?: {
    op: string
    path: string
    value: unknown
  }[]
}

export interface PreflightReport {
  /** True if no issue has the severity error. */
  ok: boolean
  issues: PreflightIssue[]
}

export interface FinalizationFile {
  /** `print`, or `preview-` followed by the id of the print area. The ids are the same in every installation. */
  id: string
  kind: "print" | "preview"
  printAreaId?: string
  mediaType: string
  bytes: number
  sha256: string
  widthMm?: number
  heightMm?: number
  pages?: number
}

export interface Finalization {
  id: string
  revision: number
  /** SHA-256 over everything that determines the files. Equal content has the same hash in every installation. */
  contentHash: string
  finalizedAt: string
  files: FinalizationFile[]
  warnings: PreflightIssue[]
  placeholders: string[]
  price: {
    priceTiers: PriceTier[]
    currency: string
    validUntil: string
  }
  /** Compact JWS over the finalization, signed with a key of `/.well-known/jwks.json`. */
  receipt: string
}

export interface FinalizationError {
  /** Code of the problem, for example `render_failed`. */
  code: string
  detail: string
  /** The first 50 members of `errors` of the problem. */
  errors?: {
    code: string
    detail: string
    pointer?: string
  }[]
  at: string
}

export interface Design {
  id: string
  /** Id of the customer who owns it. */
  customerId: string
  status: "draft" | "finalizing" | "finalized" | "archived"
  /** Increases by one with each saved change. */
  revision: number
  name: string
  productId: string
  variantId: string
  document: DesignDocument
  preflight: PreflightReport
  finalization: Finalization | null
  /** Why the last finalization with `Prefer: respond-async` failed after its 202 response. Null if none failed, or if a new finalization has begun since. */
  lastFinalizationError: FinalizationError | null
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** Id of the record in the system of the client. Null if it has none. */
  externalReference: string | null
  /** The template from which the design was made. The locks of the layers bind such a design. */
  templateId: string | null
  createdAt: string
  updatedAt: string
}

/** Each member replaces the current value as a whole. */
export interface ChangeDesignRequest {
  name?: string
  variantId?: string
  document?: DesignDocument
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata?: Record<string, string | number | boolean>
  /** Id of the record in the system of the client: one line of text, unique among the records of this kind. */
  externalReference?: string | null
}

export interface JsonPatchAdd {
  op: "add"
  /** JSON Pointer (RFC 6901) of the target. */
  path: string
  value: unknown
}

export interface JsonPatchReplace {
  op: "replace"
  /** JSON Pointer (RFC 6901) of the target. */
  path: string
  value: unknown
}

export interface JsonPatchTest {
  op: "test"
  /** JSON Pointer (RFC 6901) of the target. */
  path: string
  value: unknown
}

export interface JsonPatchRemove {
  op: "remove"
  /** JSON Pointer (RFC 6901) of the target. */
  path: string
}

export interface JsonPatchMove {
  op: "move"
  /** JSON Pointer (RFC 6901) of the target. */
  path: string
  /** JSON Pointer of the source. */
  from: string
}

export interface JsonPatchCopy {
  op: "copy"
  /** JSON Pointer (RFC 6901) of the target. */
  path: string
  /** JSON Pointer of the source. */
  from: string
}

export type ExternalReferenceTakenProblem = Problem & {
  code: "external_reference_taken"
  /** Id of the record that has the reference. */
  id: string
}

export type TooManyFonts422Problem = Problem & {
  code: "too_many_fonts"
  /** Number of uploaded families in the document. */
  families?: number
  limit?: number
  /** Bytes of the fonts of the document. */
  bytes?: number
  limitBytes?: number
}

export interface ListedFinalization {
  id: string
  revision: number
  /** SHA-256 over everything that determines the files. Equal content has the same hash in every installation. */
  contentHash: string
  finalizedAt: string
  files: FinalizationFile[]
  warnings: PreflightIssue[]
  placeholders: string[]
  price: {
    priceTiers: PriceTier[]
    currency: string
    validUntil: string
  }
  /** As for the design alone. */
  receipt?: string
}

/** A design. With `view=summary` its large members are left out. */
export interface ListedDesign {
  id: string
  /** Id of the customer who owns it. */
  customerId: string
  status: "draft" | "finalizing" | "finalized" | "archived"
  /** Increases by one with each saved change. */
  revision: number
  name: string
  productId: string
  variantId: string
  document?: DesignDocument
  preflight?: PreflightReport
  finalization: ListedFinalization | null
  /** Why the last finalization with `Prefer: respond-async` failed after its 202 response. Null if none failed, or if a new finalization has begun since. */
  lastFinalizationError: FinalizationError | null
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** Id of the record in the system of the client. Null if it has none. */
  externalReference: string | null
  /** The template from which the design was made. The locks of the layers bind such a design. */
  templateId: string | null
  createdAt: string
  updatedAt: string
}

export interface DesignList {
  data: ListedDesign[]
  nextCursor: string | null
}

export interface CreateDesignRequest {
  productId: string
  variantId: string
  /** Default: the name of the template, else of the product. */
  name?: string
  document?: DesignDocument
  /** A template of the product, whose document is copied. */
  templateId?: string
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata?: Record<string, string | number | boolean>
  /** Id of the record in the system of the client: one line of text, unique among the records of this kind. */
  externalReference?: string | null
}

export interface ApplyDesignFixesRequest {
  /** Only issues with these codes. Default: all issues that have a fix. */
  codes?: string[]
}

export interface FixedDesign {
  id: string
  /** Id of the customer who owns it. */
  customerId: string
  status: "draft" | "finalizing" | "finalized" | "archived"
  /** Increases by one with each saved change. */
  revision: number
  name: string
  productId: string
  variantId: string
  document: DesignDocument
  preflight: PreflightReport
  finalization: Finalization | null
  /** Why the last finalization with `Prefer: respond-async` failed after its 202 response. Null if none failed, or if a new finalization has begun since. */
  lastFinalizationError: FinalizationError | null
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** Id of the record in the system of the client. Null if it has none. */
  externalReference: string | null
  /** The template from which the design was made. The locks of the layers bind such a design. */
  templateId: string | null
  createdAt: string
  updatedAt: string
  appliedFixes: {
    code: string
    /** JSON Pointer from the root of the document. */
    pointer: string
  }[]
}

export interface PreflightError {
  /** Stable identifier. Later versions may add codes. */
  code: string
  severity?: "error" | "warning"
  /** JSON Pointer (RFC 6901) from the root of the design's document. */
  pointer: string
  message?: string
  measured?: number
  limit?: number
  unit?: string
  /** JSON Patch (RFC 6902) on the document that resolves this issue and causes no other issue. */
  fix?: {
    op: string
    path: string
    value: unknown
  }[]
  detail: string
  /** JSON Pointer of the layer in the document of the design. */
  layer?: string
}

export type PreflightFailedProblem = Problem & {
  code: "preflight_failed"
  errors: PreflightError[]
}

export interface DesignRevisionSummary {
  /** Increases by one with each saved change. */
  revision: number
  name: string
  /** When the revision was saved. */
  createdAt: string
}

export interface DesignRevisionSummaryList {
  data: DesignRevisionSummary[]
  nextCursor: string | null
}

export interface DesignRevision {
  /** Increases by one with each saved change. */
  revision: number
  name: string
  variantId: string
  document: DesignDocument
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** When the revision was saved. */
  createdAt: string
}

export interface CreateDesignLinkRequest {
  /** `preview`, or the id of a file of the finalization. */
  file: string
  /** Default: the first print area of the product. */
  printAreaId?: string
  /** Width in pixels. The height follows from the print area. Default: 600. */
  width?: number
  /** How long the link is valid. */
  expiresInSeconds?: number
}

export interface FontFamily {
  family: string
  styles: {
    weight: number
    style: "normal" | "italic"
  }[]
  scripts: string[]
}

export interface FontFamilyList {
  data: FontFamily[]
}

export type TooManyFonts409Problem = Problem & {
  code: "too_many_fonts"
  /** The largest number of fonts. */
  limit?: number
  usedBytes?: number
  limitBytes?: number
}

export interface FontFiles {
  family: string
  /** Category of the family, such as `serif`. Fallback tries families of the same category first. */
  category: string
  /** Path of a file, with the variables `{subset}`, `{weight}` and `{style}`. It contains the release of the family, because the files of a release never change. */
  fileUrl: string
  styles: {
    weight: number
    style: "normal" | "italic"
  }[]
  subsets: {
    name: string
    scripts: string[]
    /** Code points that the files of the subset are for. A file may lack some of them. */
    ranges: number[][]
  }[]
}

export interface FontFilesList {
  data: FontFiles[]
}

export type CountryCode = "AD" | "AE" | "AF" | "AG" | "AI" | "AL" | "AM" | "AO" | "AQ" | "AR" | "AS" | "AT" | "AU" | "AW" | "AX" | "AZ" | "BA" | "BB" | "BD" | "BE" | "BF" | "BG" | "BH" | "BI" | "BJ" | "BL" | "BM" | "BN" | "BO" | "BQ" | "BR" | "BS" | "BT" | "BV" | "BW" | "BY" | "BZ" | "CA" | "CC" | "CD" | "CF" | "CG" | "CH" | "CI" | "CK" | "CL" | "CM" | "CN" | "CO" | "CR" | "CU" | "CV" | "CW" | "CX" | "CY" | "CZ" | "DE" | "DJ" | "DK" | "DM" | "DO" | "DZ" | "EC" | "EE" | "EG" | "EH" | "ER" | "ES" | "ET" | "FI" | "FJ" | "FK" | "FM" | "FO" | "FR" | "GA" | "GB" | "GD" | "GE" | "GF" | "GG" | "GH" | "GI" | "GL" | "GM" | "GN" | "GP" | "GQ" | "GR" | "GS" | "GT" | "GU" | "GW" | "GY" | "HK" | "HM" | "HN" | "HR" | "HT" | "HU" | "ID" | "IE" | "IL" | "IM" | "IN" | "IO" | "IQ" | "IR" | "IS" | "IT" | "JE" | "JM" | "JO" | "JP" | "KE" | "KG" | "KH" | "KI" | "KM" | "KN" | "KP" | "KR" | "KW" | "KY" | "KZ" | "LA" | "LB" | "LC" | "LI" | "LK" | "LR" | "LS" | "LT" | "LU" | "LV" | "LY" | "MA" | "MC" | "MD" | "ME" | "MF" | "MG" | "MH" | "MK" | "ML" | "MM" | "MN" | "MO" | "MP" | "MQ" | "MR" | "MS" | "MT" | "MU" | "MV" | "MW" | "MX" | "MY" | "MZ" | "NA" | "NC" | "NE" | "NF" | "NG" | "NI" | "NL" | "NO" | "NP" | "NR" | "NU" | "NZ" | "OM" | "PA" | "PE" | "PF" | "PG" | "PH" | "PK" | "PL" | "PM" | "PN" | "PR" | "PS" | "PT" | "PW" | "PY" | "QA" | "RE" | "RO" | "RS" | "RU" | "RW" | "SA" | "SB" | "SC" | "SD" | "SE" | "SG" | "SH" | "SI" | "SJ" | "SK" | "SL" | "SM" | "SN" | "SO" | "SR" | "SS" | "ST" | "SV" | "SX" | "SY" | "SZ" | "TC" | "TD" | "TF" | "TG" | "TH" | "TJ" | "TK" | "TL" | "TM" | "TN" | "TO" | "TR" | "TT" | "TV" | "TW" | "TZ" | "UA" | "UG" | "UM" | "US" | "UY" | "UZ" | "VA" | "VC" | "VE" | "VG" | "VI" | "VN" | "VU" | "WF" | "WS" | "YE" | "YT" | "ZA" | "ZM" | "ZW"

export interface Money {
  /** In minor units of the currency: 1250 is 12.50 EUR. */
  amount: number
  /** ISO 4217 code. */
  currency: string
}

export interface ShippingMethod {
  id: string
  name: string
  price: Money
  /** Delivery time in working days. */
  estimatedDays: {
    min: number
    max: number
  }
}

export interface ShippingMethodList {
  data: ShippingMethod[]
  nextCursor: string | null
}

export type EveryCountry = "*"

export type ZoneCountry = CountryCode | EveryCountry

export interface ShippingRate {
  /** Maximum weight of the whole parcel. Default: no maximum. */
  maxWeightGrams?: number
  /** Price per currency. Orders in a currency without a price cannot use the method. */
  prices: {
    /** In minor units of the currency. */
    amount: number
    /** ISO 4217 code. */
    currency: string
  }[]
}

export interface NewShippingZone {
  name?: string
  /** ISO 3166-1 alpha-2 codes, or `*` alone for every country that no other zone of the method names. */
  countries: ZoneCountry[]
  /** Ascending by weight. The first rate whose maximum is not below the weight of the parcel determines the price. */
  rates: ShippingRate[]
}

export interface CreateShippingMethodRequest {
  /** Id by which orders name the method, such as `express`. Default: derived from the name. */
  id?: string
  name: string
  /** Delivery time in working days. */
  estimatedDays: {
    min: number
    max: number
  }
  /** The method does not ship to countries outside its zones. */
  zones: NewShippingZone[]
  /** Whether the method is offered. */
  active?: boolean
  /** Rank among the methods. The first method that can ship a parcel is the default. */
  position?: number
}

export interface ShippingZone {
  name?: string
  /** ISO 3166-1 alpha-2 codes, or `*` alone for every country that no other zone of the method names. */
  countries: ZoneCountry[]
  /** Ascending by weight. The first rate whose maximum is not below the weight of the parcel determines the price. */
  rates: ShippingRate[]
}

export interface ShippingMethodSettings {
  id: string
  name: string
  /** Delivery time in working days. */
  estimatedDays: {
    min: number
    max: number
  }
  /** The method does not ship to countries outside its zones. */
  zones: ShippingZone[]
  /** Whether the method is offered. */
  active: boolean
  /** Rank among the methods. The first method that can ship a parcel is the default. */
  position: number
  createdAt: string
  updatedAt: string
  /** Time of deletion. Present if the method was deleted. */
  deletedAt?: string
}

export interface ChangeShippingMethodRequest {
  name?: string
  /** Delivery time in working days. */
  estimatedDays?: {
    min: number
    max: number
  }
  /** The method does not ship to countries outside its zones. */
  zones?: NewShippingZone[]
  /** Whether the method is offered. */
  active?: boolean
  /** Rank among the methods. The first method that can ship a parcel is the default. */
  position?: number
}

export interface ShippingMethodSettingsList {
  data: ShippingMethodSettings[]
  nextCursor: string | null
}

export interface TaxRate {
  /** ISO 3166-1 alpha-2 code. */
  country: CountryCode
  /** Subdivision of the country by its ISO 3166-2 code or name (`CA` or `California`); responses contain the code. Without it, the rate applies to the whole country except for regions with a rate of their own. */
  region?: string
  /** Hundredths of a percent: 1900 is 19 %, 770 is 7.7 %. */
  basisPoints: number
}

export interface TaxSettings {
  /** `true`: prices of products and shipping contain the tax, which is `gross * rate / (100 % + rate)`. `false`: the tax is added to them. */
  taxIncluded: boolean
  /** Destinations without a rate are not taxed. */
  rates: TaxRate[]
  /** Null until an administrator sets the tax for the first time. */
  updatedAt: string | null
}

export interface ReplaceTaxSettingsRequest {
  /** `true`: prices of products and shipping contain the tax, which is `gross * rate / (100 % + rate)`. `false`: the tax is added to them. */
  taxIncluded: boolean
  /** Destinations without a rate are not taxed. */
  rates: {
    /** ISO 3166-1 alpha-2 code. */
    country: CountryCode
    /** Subdivision of the country by its ISO 3166-2 code or name (`CA` or `California`); responses contain the code. Without it, the rate applies to the whole country except for regions with a rate of their own. */
    region?: string
    /** Hundredths of a percent: 1900 is 19 %, 770 is 7.7 %. */
    basisPoints: number
  }[]
}

/** Price of one piece that an operator agreed on with the customer, instead of the locked price. It needs `Platen-Customer` and the permission `prices:write`. */
export interface NewAgreedPrice {
  unitPrice: {
    /** In minor units of the currency. */
    amount: number
    /** ISO 4217 code: the currency of the design. */
    currency: string
  }
  /** Why the price differs. The customer sees it. */
  reason: string
}

export interface NewOrderItem {
  designId: string
  quantity: number
  /** Texts for the placeholders of the design, by name. */
  data?: Record<string, string>
  agreedPrice?: NewAgreedPrice
}

/** Postal address to which the order is shipped. */
export interface PostalAddressInput {
  /** Name of the recipient. */
  name: string
  company?: string
  /** Street and number, or their equivalent. */
  line1: string
  line2?: string
  city: string
  /** State, province or county. Required in Australia, Canada and the United States. */
  region?: string
  postalCode?: string
  /** ISO 3166-1 alpha-2 code, in capitals. */
  country: CountryCode
  phone?: string
  email?: string
}

export interface CreateQuoteRequest {
  items: NewOrderItem[]
  shippingAddress: PostalAddressInput
  /** Id of a shipping method. Default: the first method by `position` that takes the parcel. */
  shippingMethod?: string
}

/** Present if an operator agreed on `unitPrice` with the customer. `listUnitPrice` is the locked price for the quantity. */
export interface AgreedPrice {
  listUnitPrice: Money
  reason: string
}

export interface QuoteItem {
  designId: string
  finalizationId: string
  variantId: string
  quantity: number
  data?: Record<string, string>
  unitPrice: Money
  agreedPrice?: AgreedPrice
  total: Money
}

export interface Amounts {
  subtotal: Money
  shipping: Money
  tax: Money
  total: Money
}

export interface Quote {
  id: string
  /** Id of the customer who owns it. */
  customerId: string
  items: QuoteItem[]
  shippingMethods: ShippingMethod[]
  shippingMethod: string
  amounts: Amounts
  taxIncluded: boolean
  expiresAt: string
}

export interface OrderFromQuote {
  /** Id of a quote, instead of `items`, `shippingAddress` and `shippingMethod`. */
  quoteId: string
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata?: Record<string, string | number | boolean>
  /** Id of the record in the system of the client: one line of text, unique among the records of this kind. */
  externalReference?: string | null
}

export interface OrderFromBasket {
  items: NewOrderItem[]
  shippingAddress: PostalAddressInput
  /** Id of a shipping method. Default: the first method by `position` that takes the parcel. */
  shippingMethod?: string
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata?: Record<string, string | number | boolean>
  /** Id of the record in the system of the client: one line of text, unique among the records of this kind. */
  externalReference?: string | null
}

/** Either `quoteId`, or `items` and `shippingAddress` as for a quote. */
export type CreateOrderRequest = OrderFromQuote | OrderFromBasket

/** Present while the order is on hold. */
export interface OrderHold {
  reason: string
  since: string
  /** What the owner can send: another postal `address` or a `confirmation`, after which the order continues; an `answer`, after which the shop decides; or `none`. */
  resolution: "address" | "confirmation" | "answer" | "none"
  /** Status of the order before the hold, to which a release returns it. */
  statusBefore?: "confirmed" | "in_production"
  /** Time at which the owner sent an `answer`. */
  answeredAt?: string
}

export interface Personalization {
  /** `pending` until the files are rendered, then `ready` or `failed`. */
  status: "pending" | "ready" | "failed"
  /** SHA-256 over everything that determines the files. Present if `status` is `ready`. */
  contentHash?: string
  /** Empty unless `status` is `ready`. */
  files: FinalizationFile[]
  /** Reason of the failure. Present if `status` is `failed`. */
  failure?: {
    /** Stable code. Later versions may add codes. */
    code: string
    detail: string
  }
}

export interface AcceptedIssue {
  /** Stable identifier. Later versions may add codes. */
  code: string
  severity: "error" | "warning"
  /** JSON Pointer (RFC 6901) from the root of the design's document. */
  pointer: string
  message: string
  measured?: number
  limit?: number
  unit?: string
  /** The layer with the issue. Absent if the issue concerns no single layer. */
  layer?: {
    id: string
    type: string
    /** Name of the layer, else the beginning of its text or of its QR value. Null without either. */
    name: string | null
  }
}

/** Issues of the design that preflight reported when it was finalized. The values of placeholders are not part of it. Only responses with one order have it. Operators only. */
export interface AcceptedPreflight {
  /** The first 20 issues. */
  issues: AcceptedIssue[]
  /** Number of all issues. 0 if preflight found none. */
  issueCount: number
}

export interface OrderItem {
  id: string
  designId: string
  finalizationId: string
  variantId: string
  quantity: number
  product: {
    /** Null in orders of earlier versions. */
    id: string | null
    /** Name when the order was created. */
    name: string | null
  }
  variant: {
    id: string
    /** SKU when the order was created. */
    sku: string | null
    /** Options when the order was created. */
    options: Record<string, string> | null
  }
  design: {
    id: string
    /** Name when the order was created. Null after the account was erased. */
    name: string | null
  }
  /** Path of the preview of the first print area, relative to the origin. It needs a credential of the owner or of an operator. */
  previewUrl: string | null
  data?: Record<string, string>
  unitPrice: Money
  agreedPrice?: AgreedPrice
  total: Money
  personalization?: Personalization
  /** Print files and previews to produce the item from, with its own texts if it has any. Operators only. */
  files?: FinalizationFile[]
  /** Signed receipt of the finalization. Operators only. */
  receipt?: string
  preflight?: AcceptedPreflight
}

export interface PostalAddress {
  name: string
  company?: string
  line1: string
  line2?: string
  city: string
  region?: string
  postalCode?: string
  /** ISO 3166-1 alpha-2 code. */
  country: CountryCode
  phone?: string
  email?: string
}

export interface Refund {
  id: string
  amount: Money
  reason: string | null
  createdAt: string
  /** `pending`: the amount is reserved, and the payment provider has not confirmed the refund yet. */
  status: "pending" | "succeeded" | "failed"
}

export interface NextAction {
  /** What the customer does. `redirect`: pays on the page at `redirectUrl`. `processing`: waits for their bank. Other values are in the terms of the payment provider: `use_stripe_sdk`, `redirect_to_url`. */
  type: string
  /** Secret for the library of the payment provider in the page. */
  clientSecret?: string
  /** URL to which the client sends the customer. It begins with `https:`. */
  redirectUrl?: string
}

export interface Payment {
  id: string
  status: "pending" | "authorized" | "captured" | "partially_refunded" | "refunded" | "failed"
  /** Payment method. Null until the order is paid. */
  method: string | null
  reference: string | null
  amount: Money
  capturedAmount: Money
  refundedAmount: Money
  capturedAt: string | null
  /** Present while a dispute (chargeback) is open: when the service learned of the oldest of them. */
  disputedAt?: string
  refunds: Refund[]
  nextAction?: NextAction
}

export interface Shipment {
  id: string
  status: "shipped" | "delivered" | "returned"
  carrier: string
  trackingNumber: string | null
  trackingUrl: string | null
  items: {
    itemId: string
    quantity: number
  }[]
  createdAt: string
  /** When the parcel was handed to the carrier. */
  shippedAt: string
  deliveredAt: string | null
  returnedAt: string | null
}

/** The user who acted. Only operators see it. */
export interface OrderActor {
  userId: string
  /** Null without a name, and for an erased account. */
  name: string | null
  /** Email address of staff. Null for customers, and for an erased account. */
  email: string | null
  /** The API key of the user with which the request was made. */
  apiKey?: {
    id: string
    /** Null once the revoked key is deleted. */
    name: string | null
  }
}

export interface TimelineEntry {
  /** An event type, or a type that exists only in the timeline, such as `order.released`. */
  type: string
  at: string
  by: "customer" | "operator" | "system"
  actor?: OrderActor
  reason?: string
}

export interface OrderNote {
  id: string
  text: string
  author?: OrderActor
  createdAt: string
}

export interface AvailableAction {
  action: "pay" | "cancel" | "resolve_hold" | "record_payment" | "hold" | "release" | "start_production" | "ship" | "deliver" | "return" | "retry_files" | "refund"
  allowed: boolean
  reason?: string
}

export interface Order {
  id: string
  /** Number for people, such as `PL-7KQ4-M2XD`. The last character is a check character. Numbers are random: they reveal neither the number of orders nor their sequence. */
  number: string
  /** Id of the customer who owns it. */
  customerId: string
  status: "awaiting_payment" | "confirmed" | "in_production" | "partially_shipped" | "shipped" | "delivered" | "on_hold" | "cancelled"
  hold?: OrderHold
  items: OrderItem[]
  shippingAddress: PostalAddress
  /** Id of the shipping method. */
  shippingMethod: string
  amounts: Amounts
  taxIncluded: boolean
  payment: Payment
  shipments: Shipment[]
  /** Oldest first. */
  timeline: TimelineEntry[]
  /** Internal notes of the shop, oldest first. Operators only. */
  notes?: OrderNote[]
  /** `deliver` and `return` are allowed if at least one shipment allows them, `retry_files` if the print files of at least one item have failed. */
  availableActions: AvailableAction[]
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** Id of the record in the system of the client. Null if it has none. */
  externalReference: string | null
  /** Increases with every change. The `ETag` of the order is this number in quotes. */
  revision: number
  /** Time by which the order should arrive: `estimatedDays.max` working days, Monday to Friday, of its shipping method after it was paid. Null until then, and for orders that were paid under an earlier version. */
  dueAt: string | null
  createdAt: string
  updatedAt: string
}

export type QuoteUsedProblem = Problem & {
  code: "quote_used"
  /** Id of the order from the quote. */
  orderId: string
}

/** An order. With `view=summary` its timeline and notes are left out. */
export interface ListedOrder {
  id: string
  /** Number for people, such as `PL-7KQ4-M2XD`. The last character is a check character. Numbers are random: they reveal neither the number of orders nor their sequence. */
  number: string
  /** Id of the customer who owns it. */
  customerId: string
  status: "awaiting_payment" | "confirmed" | "in_production" | "partially_shipped" | "shipped" | "delivered" | "on_hold" | "cancelled"
  hold?: OrderHold
  items: OrderItem[]
  shippingAddress: PostalAddress
  /** Id of the shipping method. */
  shippingMethod: string
  amounts: Amounts
  taxIncluded: boolean
  payment: Payment
  shipments: Shipment[]
  /** Oldest first. */
  timeline?: TimelineEntry[]
  /** Internal notes of the shop, oldest first. Operators only. */
  notes?: OrderNote[]
  /** `deliver` and `return` are allowed if at least one shipment allows them, `retry_files` if the print files of at least one item have failed. */
  availableActions: AvailableAction[]
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** Id of the record in the system of the client. Null if it has none. */
  externalReference: string | null
  /** Increases with every change. The `ETag` of the order is this number in quotes. */
  revision: number
  /** Time by which the order should arrive: `estimatedDays.max` working days, Monday to Friday, of its shipping method after it was paid. Null until then, and for orders that were paid under an earlier version. */
  dueAt: string | null
  createdAt: string
  updatedAt: string
}

export interface OrderList {
  data: ListedOrder[]
  nextCursor: string | null
}

export interface ChangeOrderRequest {
  shippingAddress: PostalAddressInput
}

export type OrderActionRefusedProblem = Problem & {
  code: "order_action_refused"
  orderStatus: string
  shipmentStatus?: string
}

export interface CancelOrderRequest {
  reason?: string
}

export interface ResolveHoldRequest {
  shippingAddress?: PostalAddressInput
  /** Message to the shop. Appears in the timeline. */
  message?: string
}

export interface AddOrderNoteRequest {
  text: string
}

export interface ChangeShipmentRequest {
  carrier?: string
  trackingNumber?: string | null
  trackingUrl?: string | null
}

export type ItemFilesNotReadyProblem = Problem & {
  code: "item_files_not_ready"
  personalizationStatus: string
}

export interface CreateOrderLinkRequest {
  itemId: string
  /** Id of a file of the item, such as `print`. */
  file: string
  /** How long the link is valid. */
  expiresInSeconds?: number
}

export interface PayOrderRequest {
  /** Token of the payment provider. With Stripe, the id of a PaymentMethod (`pm_...`), or none if the customer pays on a page of Stripe. */
  token?: string
}

export type PaymentDeclinedProblem = Problem & {
  code: "payment_declined"
  /** Later versions may add reasons. */
  reason: string
}

export interface PositiveMoney {
  /** In minor units of the currency. */
  amount: number
  /** ISO 4217 code. */
  currency: string
}

export interface RecordPaymentRequest {
  method: "manual"
  /** Reference by which the payment can be found, such as the number of a bank statement. */
  reference?: string
  amount?: PositiveMoney
}

export interface RefundOrderRequest {
  amount?: PositiveMoney
  reason?: string
}

export type RefundRefusedProblem = Problem & {
  code: "refund_refused"
  /** The reason in the terms of the provider. */
  failure?: string
}

export type RefundTooLargeProblem = Problem & {
  code: "refund_too_large"
  refundable: {
    amount: number
    currency: string
  }
}

export interface FailingEndpoint {
  id: string
  /** Host of its URL. The rest can contain a secret. */
  host: string
  description: string | null
  /** The member of staff who can read the endpoint and its deliveries. */
  owner: {
    userId: string
    name: string | null
    email: string
  }
  /** Of this endpoint, in the last 7 days. 1000 means as many or more. */
  failedDeliveries: number
}

export interface DayFigures {
  day: string
  /** Orders that were placed. */
  orders: number
  /** Sum of their totals in minor units, paid or not. */
  orderedAmount: number
  /** Payments that arrived, in minor units, whenever they were ordered. */
  capturedAmount: number
  /** Refunds that succeeded, in minor units. */
  refundedAmount: number
}

export interface HourFigures {
  hour: string
  /** Orders that were placed. */
  orders: number
  /** Sum of their totals in minor units, paid or not. */
  orderedAmount: number
  /** Payments that arrived, in minor units, whenever they were ordered. */
  capturedAmount: number
  /** Refunds that succeeded, in minor units. */
  refundedAmount: number
}

export interface CurrencyFigures {
  currency: string
  /** Orders that were placed. */
  orders: number
  /** Sum of their totals in minor units, paid or not. */
  orderedAmount: number
  /** Payments that arrived, in minor units, whenever they were ordered. */
  capturedAmount: number
  /** Refunds that succeeded, in minor units. */
  refundedAmount: number
  /** Every day of the period, oldest first. */
  days: DayFigures[]
  /** Only with `days=1`: every hour of the day, oldest first, by its beginning. Days on which clocks change have 23 or 25. */
  hours?: HourFigures[]
}

export interface OrderStatistics {
  from: string
  to: string
  timeZone: string
  /** Number of orders in each status that waits for the customer or the shop: awaiting_payment, confirmed, in_production, partially_shipped, on_hold. */
  openOrders: Record<string, number>
  /** Number of orders in each status. */
  ordersByStatus: Record<string, number>
  /** Number of orders that are to be produced or shipped and whose `dueAt` has passed. 1000 means as many or more. */
  lateOrders: number
  /** Number of webhook deliveries of the last 7 days to endpoints of staff that have failed and are not repeated. 1000 means as many or more. */
  failedDeliveries: number
  /** The endpoints of staff with failed deliveries of the last 7 days, oldest first, 20 at most. Only for callers with `webhooks:read`. */
  failingEndpoints?: FailingEndpoint[]
  /** A row for each currency with an order, a payment or a refund in the period. */
  currencies: CurrencyFigures[]
}

export interface HoldOrderRequest {
  /** What is wrong, and how to resolve it. Shown to the customer. */
  reason: string
  /** What the owner can send: another postal `address` or a `confirmation`, after which the order continues; an `answer`, after which the shop decides; or `none`. */
  resolution?: "address" | "confirmation" | "answer" | "none"
}

export interface BulkStartProduction {
  action: "start_production"
  /** Each order once. */
  orders: {
    id: string
    /** The `revision` that the client has read. If the order has changed since, it fails with `precondition_failed`. */
    revision?: number
  }[]
}

export interface BulkShip {
  action: "ship"
  carrier: string
  /** Each order once. */
  orders: {
    id: string
    /** The `revision` that the client has read. If the order has changed since, it fails with `precondition_failed`. */
    revision?: number
    trackingNumber?: string
    trackingUrl?: string
    /** When the parcel was handed to the carrier. Default: now. Not after now or before the order, give or take a day. */
    shippedAt?: string
  }[]
}

export interface BulkDeliver {
  action: "deliver"
  /** Each order once. */
  orders: {
    id: string
    /** The `revision` that the client has read. If the order has changed since, it fails with `precondition_failed`. */
    revision?: number
  }[]
}

export interface BulkHold {
  action: "hold"
  /** What is wrong, and how to resolve it. Shown to the customer. */
  reason: string
  /** What the owner can send: another postal `address` or a `confirmation`, after which the order continues; an `answer`, after which the shop decides; or `none`. */
  resolution?: "address" | "confirmation" | "answer" | "none"
  /** Each order once. */
  orders: {
    id: string
    /** The `revision` that the client has read. If the order has changed since, it fails with `precondition_failed`. */
    revision?: number
  }[]
}

export interface BulkRelease {
  action: "release"
  /** Each order once. */
  orders: {
    id: string
    /** The `revision` that the client has read. If the order has changed since, it fails with `precondition_failed`. */
    revision?: number
  }[]
}

export type ChangeOrdersInBulkRequest = BulkStartProduction | BulkShip | BulkDeliver | BulkHold | BulkRelease

/** Why the order was not changed. */
export interface OrderFailure {
  /** The code of the problem. */
  code: string
  title: string
  /** The status that the single operation would have. */
  status: number
  detail: string
}

export interface BulkResult {
  orderId: string
  /** `unchanged`: the order was already in the wanted state. */
  outcome: "done" | "unchanged" | "failed"
  orderStatus?: "awaiting_payment" | "confirmed" | "in_production" | "partially_shipped" | "shipped" | "delivered" | "on_hold" | "cancelled"
  /** The present revision of the order, unless it failed. */
  revision?: number
  /** As in the order, unless it failed. So the next action needs no further read. */
  availableActions?: AvailableAction[]
  failure?: OrderFailure
}

export interface BulkResults {
  /** One for each order, in the order of the request. */
  results: BulkResult[]
}

export interface ShipOrderRequest {
  carrier: string
  trackingNumber?: string
  trackingUrl?: string
  /** When the parcel was handed to the carrier. Default: now. Not after now or before the order, give or take a day. */
  shippedAt?: string
  /** Items in the parcel. Default: all unshipped items. */
  items?: {
    itemId: string
    quantity: number
  }[]
}

export interface ReturnShipmentRequest {
  /** Reason of the return. Shown to the customer. */
  reason?: string
}

export interface DownloadPrintFilesRequest {
  /** `zip`: an archive with one file per item, and a manifest. `pdf`: one PDF/X-4 file with all pages, and an outline with one entry per item. */
  format: "zip" | "pdf"
  /** The files follow the order of these ids. */
  orderIds: string[]
}

export type PrintFilesUnavailableProblem = Problem & {
  code: "print_files_unavailable"
  /** One entry for each order and reason. */
  errors: {
    code: "order_not_found" | "order_erased" | "order_not_produced" | "item_files_pending" | "item_files_failed" | "item_files_missing" | "printing_condition_differs"
    pointer: string
    detail: string
    orderId: string
    orderNumber: string | null
    /** The items at fault. Empty: the whole order. */
    itemIds: string[]
  }[]
}

export type PrintFilesTooLargeProblem = Problem & {
  code: "print_files_too_large"
  /** Size of the print files. */
  bytes: number
  maxBytes: number
  pages?: number
  maxPages?: number
}

export interface CreateBatchRequest {
  name?: string
  /** Pick lists and print files follow the order of these ids. */
  orderIds: string[]
}

export interface BatchOrder {
  orderId: string
  orderNumber: string
  status: "awaiting_payment" | "confirmed" | "in_production" | "partially_shipped" | "shipped" | "delivered" | "on_hold" | "cancelled"
  revision: number
  /** Company or name of the shipping address. */
  recipient: string
  /** Number of items. */
  items: number
  /** Number of pieces of all items. */
  pieces: number
  /** `ready`: every item has its print files. `failed`: an operator must retry those of an item. */
  printFiles: "pending" | "ready" | "failed"
  addedAt: string
}

export interface Batch {
  id: string
  name: string | null
  status: "open" | "done"
  orderCount: number
  /** Number of orders by their present status. */
  progress: {
    awaiting_payment: number
    confirmed: number
    in_production: number
    partially_shipped: number
    shipped: number
    delivered: number
    on_hold: number
    cancelled: number
  }
  createdAt: string
  closedAt: string | null
  /** In the order of production. */
  orders: BatchOrder[]
}

export type BatchOrdersRefusedProblem = Problem & {
  code: "batch_orders_refused"
  errors: {
    code: "order_not_found" | "order_not_producible" | "order_in_other_batch"
    pointer: string
    detail: string
    orderId: string
    orderNumber: string | null
    orderStatus?: "awaiting_payment" | "confirmed" | "in_production" | "partially_shipped" | "shipped" | "delivered" | "on_hold" | "cancelled"
    /** The open batch that has the order. */
    batchId?: string
    batchName?: string | null
  }[]
}

export interface BatchSummary {
  id: string
  name: string | null
  status: "open" | "done"
  orderCount: number
  /** Number of orders by their present status. */
  progress: {
    awaiting_payment: number
    confirmed: number
    in_production: number
    partially_shipped: number
    shipped: number
    delivered: number
    on_hold: number
    cancelled: number
  }
  createdAt: string
  closedAt: string | null
}

export interface BatchSummaryList {
  data: BatchSummary[]
  nextCursor: string | null
}

export interface AddOrdersToBatchRequest {
  /** Pick lists and print files follow the order of these ids. */
  orderIds: string[]
}

export interface AdvanceTestOrderRequest {
  step?: "pay" | "start_production" | "ship_part" | "ship" | "deliver" | "return" | "damage" | "delay" | "hold" | "release"
}

export interface MailKind {
  /** What the mail is. */
  kind: "order_received" | "order_paid" | "order_on_hold" | "order_shipped" | "order_delivered" | "order_cancelled" | "order_refunded"
  languages: ("en" | "de")[]
}

export interface MailKindList {
  data: MailKind[]
}

export interface MailPreview {
  /** What the mail is. */
  kind: "order_received" | "order_paid" | "order_on_hold" | "order_shipped" | "order_delivered" | "order_cancelled" | "order_refunded"
  language: "en" | "de"
  subject: string
  /** The plain text. */
  text: string
  /** The HTML, with pictures as `data:` URLs. */
  html: string
}

export interface PreviewMailTextRequest {
  language: "en" | "de"
  /** One line. */
  subject: string
  /** Plain text. Each line that is not empty is a paragraph. */
  body: string
}

export interface SendTestMailRequest {
  language: "en" | "de"
  text?: {
    /** One line. */
    subject: string
    /** Plain text. Each line that is not empty is a paragraph. */
    body: string
  }
}

export interface TestMailSent {
  /** The email address of the caller. */
  to: string
}

export interface MailTextContent {
  subject: string
  body: string
}

export interface MailText {
  kind: "order_received" | "order_paid" | "order_on_hold" | "order_shipped" | "order_delivered" | "order_cancelled" | "order_refunded"
  language: "en" | "de"
  subject: string
  /** Each line that is not empty is a paragraph. */
  body: string
  /** Whether an administrator wrote the text. Otherwise it is that of the service. */
  isEdited: boolean
  default: MailTextContent
  /** What the text can contain in double braces, such as `{{number}}`. */
  placeholders: string[]
  /** Number of changes. */
  revision: number
  /** Null until an administrator changes the text for the first time. */
  updatedAt: string | null
}

export interface ReplaceMailTextRequest {
  /** One line. */
  subject: string
  /** Plain text. Each line that is not empty is a paragraph. */
  body: string
}

export interface MailOfOrder {
  /** What the mail is. */
  kind: "order_received" | "order_paid" | "order_on_hold" | "order_shipped" | "order_delivered" | "order_cancelled" | "order_refunded"
  /** `waiting` until it is sent; `sent` to the mail server; `stored` in the outbox, because the service has no mail server; `skipped`, with the reason; `failed` after the last attempt. */
  status: "waiting" | "sent" | "stored" | "skipped" | "failed"
  /** Why the mail was skipped. `rejected`: the mailbox does not exist. */
  reason?: "customer_erased" | "order_erased" | "no_email_address" | "event_not_retained" | "too_old" | "mails_off" | "too_many" | "rejected"
  /** Email address to which it went. Null for a mail that did not go, for one of an earlier release, after the customer was erased, and for callers without `customers:read`. */
  to: string | null
  /** When its cause happened, give or take a second. */
  createdAt: string
  /** When it was sent, stored, skipped or given up. */
  endedAt: string | null
}

export interface MailsOfOrder {
  /** What happens to new mails: `on`, they are sent; `outbox`, they are stored, because there is no mail server; `paused` (`PLATEN_SEND=off`), they wait; `off` (`PLATEN_ORDER_MAILS=off`), there are none. */
  sending: "on" | "outbox" | "paused" | "off"
  /** Oldest first. */
  data: MailOfOrder[]
}

export type EventType = "design.finalized" | "design.archived" | "design.finalization_failed" | "order.created" | "order.confirmed" | "order.on_hold" | "order.released" | "order.in_production" | "order.partially_shipped" | "order.shipped" | "order.delivered" | "order.cancelled" | "order.address_changed" | "payment.captured" | "payment.failed" | "payment.refunded" | "shipment.created" | "shipment.updated" | "shipment.delivered" | "shipment.returned" | "design.files_ready" | "design.files_failed"

/** The data of an event whose record was erased. */
export interface ErasedRecord {
  id: string
  erased: true
}

export interface DesignEvent {
  id: string
  createdAt: string
  /** Counts the events of one subject, from 1 and without gaps. */
  sequence: number
  /** Id of the record that changed. For `order.*`, `payment.*`, `shipment.*` and `design.files_*` this is the order. */
  subject: string
  type: "design.finalized" | "design.archived" | "design.finalization_failed"
  data: Design | ErasedRecord
}

export interface OrderEvent {
  id: string
  createdAt: string
  /** Counts the events of one subject, from 1 and without gaps. */
  sequence: number
  /** Id of the record that changed. For `order.*`, `payment.*`, `shipment.*` and `design.files_*` this is the order. */
  subject: string
  type: "order.created" | "order.confirmed" | "order.on_hold" | "order.released" | "order.in_production" | "order.partially_shipped" | "order.shipped" | "order.delivered" | "order.cancelled" | "order.address_changed" | "payment.captured" | "payment.failed" | "payment.refunded" | "shipment.created" | "shipment.updated" | "shipment.delivered" | "shipment.returned" | "design.files_ready" | "design.files_failed"
  data: Order | ErasedRecord
}

/** `data` is the whole record after the change, as its owner sees it. */
export type Event = DesignEvent | OrderEvent

export interface EventList {
  data: Event[]
  nextCursor: string | null
}

export type EventExpiredProblem = Problem & {
  code: "event_expired"
  /** Id of the oldest event that is left. */
  oldestEventId: string | null
}

export interface EventStreamTicket {
  /** Opens one stream. Treat it as a secret. */
  ticket: string
  /** Seconds until the ticket expires. */
  expiresIn: number
}

export interface WebhookEndpoint {
  id: string
  url: string
  /** Null means all types. */
  types: string[] | null
  description: string | null
  status: "enabled" | "disabled"
  /** `by_owner`: the owner disabled the endpoint. `gone`: the endpoint responded with 410. `failing`: all requests have failed since the first attempt of a delivery that has no retries left, or for five days. For `gone` and `failing`, the owner gets a mail. */
  disabledReason?: "by_owner" | "gone" | "failing"
  disabledAt?: string
  /** Since then, all requests to the endpoint have failed. While they fail, at most 50 deliveries wait; those of later events follow as soon as the endpoint works. Absent if the last request succeeded. */
  failingSince?: string
  /** After a rotation of the secret, the end of the overlap. Until then, requests are also signed with the secret that was current before. Absent outside of an overlap. */
  previousSecretEndsAt?: string
  createdAt: string
  updatedAt: string
  /** Number of deliveries with the status `failed`, of which at most 1000 are counted. Only the operations that read endpoints return it. */
  failedDeliveries?: number
}

export interface WebhookEndpointList {
  data: WebhookEndpoint[]
  nextCursor: string | null
}

export interface CreateWebhookEndpointRequest {
  /** URL to which events are posted. A redirect counts as a failure. */
  url: string
  /** Event types to deliver. Null or omitted: all types, including types that later versions add. */
  types?: EventType[] | null
  description?: string | null
}

export interface NewWebhookEndpoint {
  id: string
  url: string
  /** Null means all types. */
  types: string[] | null
  description: string | null
  status: "enabled" | "disabled"
  /** `by_owner`: the owner disabled the endpoint. `gone`: the endpoint responded with 410. `failing`: all requests have failed since the first attempt of a delivery that has no retries left, or for five days. For `gone` and `failing`, the owner gets a mail. */
  disabledReason?: "by_owner" | "gone" | "failing"
  disabledAt?: string
  /** Since then, all requests to the endpoint have failed. While they fail, at most 50 deliveries wait; those of later events follow as soon as the endpoint works. Absent if the last request succeeded. */
  failingSince?: string
  /** After a rotation of the secret, the end of the overlap. Until then, requests are also signed with the secret that was current before. Absent outside of an overlap. */
  previousSecretEndsAt?: string
  createdAt: string
  updatedAt: string
  /** Signing secret (Standard Webhooks). Shown only in this response. */
  secret: string | null
}

export interface UpdateWebhookEndpointRequest {
  /** URL to which events are posted. A redirect counts as a failure. */
  url?: string
  types?: EventType[] | null
  description?: string | null
  /** Events that happen while the endpoint is `disabled` are not delivered later, except by a replay. */
  status?: "enabled" | "disabled"
}

export interface RotateWebhookSecretRequest {
  /** Seconds for which requests are also signed with the secret that was current before. Default: 86400. */
  overlapSeconds?: number
}

export interface RotateWebhookSecretResponse {
  /** Signing secret (Standard Webhooks). Shown only in this response. */
  secret: string | null
}

export interface WebhookAttempt {
  at: string
  durationMs: number
  /** HTTP status of the response. */
  status?: number
  /** Why there was no valid response: `timeout`, `refused_target`, `dns`, `connection`, `tls` or `bad_answer`. Why no request was sent: `event_expired`, `not_permitted` or `secret_unreadable`. */
  error?: string
  /** Description of the error. */
  detail?: string
  responseHeaders?: Record<string, string>
  /** First 1024 bytes of the response body. Omitted, like the headers, if the event was erased or may no longer be seen by the owner. */
  responseBody?: string
}

export interface WebhookDelivery {
  id: string
  /** Id of the event. Equal to `webhook-id` in every request, retry and replay. */
  eventId: string
  eventType: string
  status: "pending" | "delivered" | "failed"
  /** The latest attempts, oldest first. */
  attempts: WebhookAttempt[]
  /** The latest request, without its signatures. */
  request?: {
    /** URL of the request, without the values of its query. */
    url: string
    headers: Record<string, string>
    /** Body of the request. Lists omit bodies over 16 KiB. */
    body?: string
  }
  /** Time of the next attempt. Omitted unless the delivery is pending and an attempt has failed. */
  nextAttemptAt?: string
  createdAt: string
}

export interface WebhookDeliveryList {
  data: WebhookDelivery[]
  nextCursor: string | null
}

export interface ReplayWebhookEventsRequest {
  /** Start of the range by `createdAt`, included. */
  from: string
  /** End of the range by `createdAt`, included. Default: now. */
  to?: string
}

export interface ReplayWebhookEventsResponse {
  /** Number of new deliveries. */
  count: number
}

/** The last verification of the security events. */
export interface AuditLogVerification {
  /** Whether a requested verification has not ended. */
  pending: boolean
  /** When the last verification ended. Null before the first one. */
  verifiedAt: string | null
  /** Security events that the last verification read, up to the first fault. */
  entries: number
  /** The first fault. Null if no security event was changed or removed. */
  fault: {
    /** What was found: `missing`, `changed`, `personal_changed` (IP address or user agent), `start_moved`, `cut_off` (the newest events are missing) or `other_head` (the log was replaced). Later versions may add kinds. */
    kind: string
    /** Place of the first affected event in the log. */
    sequence: number
    /** Id of the first affected event. Null if it is missing. */
    eventId: string | null
  } | null
}

export interface SystemStatus {
  version: string
  /** When the process that responds started. */
  startedAt: string
  /** Whether each part works, as for `/health/ready` of the process that responds. */
  parts: {
    database: boolean
    /** Whether the storage of files accepts bytes. */
    storage: boolean
    /** Whether enough disk space is free. */
    disk: boolean
    /** Whether the processes that lay out texts and check designs work. */
    checking: boolean
    /** Whether the processes that draw work. */
    rendering: boolean
  }
  jobs: {
    /** Job runners of all processes. Without any, jobs wait. */
    runners: number
    /** Jobs that will run by themselves, now or later. */
    waiting: number
    running: number
    /** Jobs whose attempts are used up. */
    failed: number
    /** Since when the oldest due job waits. */
    dueSince: string | null
    kinds: {
      kind: string
      waiting: number
      running: number
      failed: number
      /** Since when the oldest due job of this kind waits. */
      dueSince: string | null
    }[]
  }
  webhooks: {
    /** Deliveries to enabled endpoints that wait, at most 10,000: then there may be more. */
    pending: number
    /** When the oldest of these deliveries was created. */
    pendingSince: string | null
  }
  messages: {
    /** Whether a mail server is set. Without one, mails stay in the outbox. */
    mailServer: boolean
    /** Mails and text messages that are not sent. */
    waiting: number
    /** When the oldest of these messages was created. */
    waitingSince: string | null
  }
  auditLog: AuditLogVerification
}

export interface SystemConfiguration {
  payments: {
    /** Name of the payment provider, or `manual` (`PLATEN_PAYMENT_PROVIDER`). */
    provider: string
    /** Whether real money is paid. Null: the shop records payments itself. */
    mode: "live" | "test" | null
    /** URL that the provider must call. */
    webhookUrl: string | null
    /** When the provider called it last, to the minute. Null: never. */
    lastWebhookAt: string | null
  }
  domains: {
    /** `PLATEN_PUBLIC_URL` */
    publicUrl: string
    /** `PLATEN_SHOP_URL` */
    shopUrl: string
    /** Further origins whose pages may call the API: `PLATEN_CORS_ORIGINS`, and those of `redirectUris`. */
    corsOrigins: string[]
    /** `PLATEN_REDIRECT_URIS` */
    redirectUris: string[]
    /** Domain of passkeys: `PLATEN_PASSKEY_RP_ID`. */
    passkeyDomain: string
    /** Origins whose pages can use passkeys: `PLATEN_PUBLIC_URL` and `PLATEN_PASSKEY_ORIGINS`. */
    passkeyOrigins: string[]
  }
  /** `payment_webhook_never_received`: the provider has not called `webhookUrl`. `payments_in_test_mode`: a production service takes no real money. `payment_disputes_unavailable`: the API key of the provider may not read disputes. `shop_origin_not_allowed`: pages of `shopUrl` may not call the API. `shop_without_passkeys`: pages of `shopUrl` cannot use passkeys. `public_url_insecure`: `publicUrl` is not HTTPS. `sending_off`: mails, text messages, webhooks and payments wait (`PLATEN_SEND`). */
  warnings: ("payment_webhook_never_received" | "payments_in_test_mode" | "payment_disputes_unavailable" | "shop_origin_not_allowed" | "shop_without_passkeys" | "public_url_insecure" | "sending_off")[]
}

export interface Job {
  id: string
  /** What the job does, such as `messages.deliver`. */
  kind: string
  /** `waiting`: will run by itself. `failed`: all attempts are used up. */
  state: "waiting" | "running" | "failed"
  attempts: number
  maxAttempts: number
  /** Error of the latest attempt, without email addresses, URLs, host names, numbers, quoted values and tokens. */
  error: string | null
  /** When the next attempt is due. */
  runAt: string
  createdAt: string
}

export interface JobList {
  data: Job[]
  nextCursor: string | null
}

export interface RequestLogEntry {
  /** The request id, which every response and every problem states. */
  id: string
  /** When the response was sent. */
  endedAt: string
  method: string
  /** The path as this document writes it. Null if no operation has the URL. */
  route: string | null
  /** The operation. Null if no operation has the URL. */
  operationId: string | null
  /** Names of the query parameters that were sent. */
  parameters: string[]
  status: number
  /** `code` of the problem that the client got. */
  problem: string | null
  /** From the beginning of the request to the end of the response. */
  durationMs: number
  /** Null for an anonymous caller. */
  caller: {
    /** `session`, `api_key`, `guest` or `customer_token`. */
    kind: string
    /** The account. Null after it was erased. */
    userId: string | null
    /** The operator who acted for the customer `userId`. */
    actorId: string | null
    /** The session or API key; for a customer token the customer. */
    credentialId: string | null
  } | null
  /** IPv4 address, or IPv6 network, of the client. Null without the permission `audit:read`, and after the account was erased. */
  network: string | null
}

export interface RequestLogEntryList {
  data: RequestLogEntry[]
  nextCursor: string | null
}

export interface RegisterRequest {
  /** Email address. */
  email: string
  /** Password. The service uses it unchanged and in full length. */
  password: string
  /** Full name of the user. */
  name?: string
}

export interface RegisterResponse {
  status: "verification_required"
}

export interface VerifyEmailRequest {
  /** The token from the link in the mail. */
  token: string
}

export interface VerifyEmailResponse {
  status: "verified"
}

export interface ResendVerificationRequest {
  /** Email address. */
  email: string
}

export interface ResendVerificationResponse {
  status: "verification_required"
}

export interface ChangeEmailRequest {
  /** Email address. */
  newEmail: string
}

export interface ChangeEmailResponse {
  status: "confirmation_required"
}

export type StepUpRequiredProblem = Problem & {
  code: "step_up_required"
  /** Seconds that a sign-in or step-up counts as recent. */
  maxAge: number
}

export interface ConfirmEmailRequest {
  /** The token from the link in the mail. */
  token: string
}

export interface ConfirmEmailResponse {
  status: "confirmed"
}

export interface LoginRequest {
  /** Email address. */
  email: string
  /** Password. The service uses it unchanged and in full length. */
  password: string
}

export interface TokenPair {
  /** `guest` for a session without an account. */
  status: "authenticated" | "guest"
  tokenType: "Bearer"
  /** A JWT (RFC 9068): send it as `Authorization: Bearer`. */
  accessToken: string
  /** Token for the next access token. Each use replaces it. Absent only with `session=cookie`. */
  refreshToken?: string
  /** Lifetime of the access token in seconds. */
  expiresIn: number
}

export interface SecondFactorRequired {
  status: "mfa_required"
  /** Token for `POST /api/auth/mfa/verify`, together with the second factor. It gives no other access. */
  mfaToken: string
  /** Remaining time for the second factor, in seconds. */
  expiresIn: number
  /** Second factors of the account. */
  methods: ("totp" | "sms" | "webauthn" | "recovery_code")[]
}

export type SignInResult = TokenPair | SecondFactorRequired

export type LoginBlockedProblem = Problem & {
  code: "login_blocked"
  block: "temporary" | "extended"
}

export interface RefreshRequest {
  refreshToken: string
}

export interface ChallengeSecondFactorRequest {
  /** `mfaToken` from the response to the sign-in. */
  mfaToken: string
  method: "sms" | "webauthn"
}

/** The service sends the code. */
export interface CodeSent {
  status: "code_sent"
}

export interface PasskeyDescriptor {
  type: "public-key"
  id: string
  transports: string[]
}

export interface PasskeyRequest {
  challengeId: string
  /** For `PublicKeyCredential.parseRequestOptionsFromJSON`, then `navigator.credentials.get`. */
  publicKey: {
    challenge: string
    rpId: string
    /** Timeout in milliseconds. */
    timeout: number
    userVerification: "required"
    /** The passkeys that may respond. If the list is empty, any passkey of this site may respond. */
    allowCredentials: PasskeyDescriptor[]
  }
}

export type ChallengeSecondFactorResponse = CodeSent | PasskeyRequest

export interface SecondFactorCode {
  /** `mfaToken` from the response to the sign-in. */
  mfaToken: string
  method: "totp" | "sms" | "recovery_code"
  /** The code. Spaces are ignored. */
  code: string
}

export interface PasskeyAssertion {
  id: string
  rawId: string
  type: string
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null
  }
}

export interface SecondFactorAssertion {
  /** `mfaToken` from the response to the sign-in. */
  mfaToken: string
  method: "webauthn"
  /** `challengeId` of the options. */
  challengeId: string
  credential: PasskeyAssertion
}

export type VerifySecondFactorRequest = SecondFactorCode | SecondFactorAssertion

export interface PasswordProof {
  /** Password. The service uses it unchanged and in full length. */
  password: string
}

export interface CodeProof {
  method: "totp" | "sms" | "recovery_code"
  /** The code. Spaces are ignored. */
  code: string
}

export interface AssertionProof {
  method: "webauthn"
  /** `challengeId` of the options. */
  challengeId: string
  credential: PasskeyAssertion
}

export type StepUpRequest = PasswordProof | CodeProof | AssertionProof

export interface SteppedUpToken {
  accessToken: string
  /** Lifetime of the access token in seconds. */
  expiresIn: number
}

export interface ChallengeStepUpRequest {
  method: "sms" | "webauthn"
}

export type ChallengeStepUpResponse = CodeSent | PasskeyRequest

export interface EnableFactorRequest {
  method?: "totp" | "sms"
  /** For `sms`: the number with its country code, such as `+4915112345678`. */
  phoneNumber?: string
}

export interface PendingFactor {
  factorId: string
  method: "totp" | "sms"
  status: "pending"
  /** Deadline for confirming the first code. */
  expiresAt: string
  /** Secret for an authenticator app in Base32. Only this response contains it. */
  secret?: string
  /** The secret as a key URI: `otpauth://totp/...`. */
  otpauthUri?: string
  /** The key URI as a QR code. */
  qrCodeSvg?: string
}

export interface ConfirmFactorRequest {
  factorId: string
  /** The code. Spaces are ignored. */
  code: string
}

export interface ConfirmFactorResponse {
  status: "enabled"
  /** Each code replaces a second factor once. Only this response contains them; the user must store them apart from the device. */
  recoveryCodes?: string[]
}

export interface Factor {
  id: string
  method: "totp" | "sms"
  status: "pending" | "enabled"
  /** Telephone number, masked except for its end. */
  phoneNumber?: string
  createdAt: string
  lastUsedAt: string | null
}

export interface GetMfaResponse {
  /** Whether sign-in requires a second factor. Passkeys count as second factors. */
  enabled: boolean
  factors: Factor[]
  recoveryCodesLeft: number
}

export interface RenewRecoveryCodesResponse {
  /** Each code replaces a second factor once. Only this response contains them; the user must store them apart from the device. */
  recoveryCodes: string[]
}

export interface Session {
  id: string
  /** Whether this is the session of the request. */
  current: boolean
  ipAddress: string
  userAgent: string
  createdAt: string
  lastSeenAt: string
  expiresAt: string
}

export interface SessionList {
  data: Session[]
  nextCursor: string | null
}

export interface ForgotPasswordRequest {
  /** Email address. */
  email: string
}

export interface ForgotPasswordResponse {
  status: "accepted"
}

export interface ResetPasswordRequest {
  /** The token from the link in the mail. */
  token: string
  /** Password. The service uses it unchanged and in full length. */
  newPassword: string
}

export interface ChangePasswordRequest {
  /** Password. The service uses it unchanged and in full length. */
  currentPassword: string
  /** Password. The service uses it unchanged and in full length. */
  newPassword: string
}

export interface PasskeyCreation {
  challengeId: string
  /** For `PublicKeyCredential.parseCreationOptionsFromJSON`, then `navigator.credentials.create`. */
  publicKey: {
    challenge: string
    rp: {
      id: string
      name: string
    }
    user: {
      id: string
      name: string
      displayName: string
    }
    pubKeyCredParams: {
      type: "public-key"
      alg: number
    }[]
    /** Timeout in milliseconds. */
    timeout: number
    excludeCredentials: PasskeyDescriptor[]
    authenticatorSelection: {
      residentKey: "required"
      requireResidentKey: true
      userVerification: "required"
    }
    attestation: "none"
  }
}

export interface PasskeyRegistration {
  id: string
  rawId: string
  type: string
  response: {
    clientDataJSON: string
    attestationObject: string
    transports?: string[]
  }
}

export interface AddPasskeyRequest {
  /** `challengeId` of the options. */
  challengeId: string
  credential: PasskeyRegistration
  /** Label that the user chooses. */
  name?: string
}

export interface AddPasskeyResponse {
  id: string
  name: string
  createdAt: string
  lastUsedAt: string | null
  /** Recovery codes, if the passkey is the first second factor of the account. Only this response contains them. Each can be used once. */
  recoveryCodes?: string[]
}

export interface Passkey {
  id: string
  name: string
  createdAt: string
  lastUsedAt: string | null
}

export interface PasskeyList {
  data: Passkey[]
  nextCursor: string | null
}

export interface RenamePasskeyRequest {
  /** Label that the user chooses. */
  name: string
}

export interface SignInWithPasskeyRequest {
  /** `challengeId` of the options. */
  challengeId: string
  credential: PasskeyAssertion
}

export interface ProviderLinked {
  status: "linked"
  provider: "google" | "github"
}

export interface ProviderSteppedUp {
  status: "stepped_up"
  provider: "google" | "github"
}

export type ProviderCallbackResult = TokenPair | SecondFactorRequired | ProviderLinked | ProviderSteppedUp

export interface RedeemCodeRequest {
  /** The `code` parameter that `redirectUri` received. */
  code: string
  /** Verifier of the `codeChallenge`. Required if the sign-in started with a `codeChallenge`, otherwise not allowed. */
  codeVerifier?: string
}

export interface Identity {
  provider: string
  /** Email address or login name at the provider, as of the last sign-in. */
  label: string | null
  createdAt: string
  lastUsedAt: string | null
}

export interface IdentityList {
  data: Identity[]
  nextCursor: string | null
}

export interface LinkIdentityRequest {
  /** URL to which the callback redirects with `status=linked` and `provider`, or with `error`; it must equal a URL of `PLATEN_REDIRECT_URIS`. Without it the callback returns JSON. */
  redirectUri?: string
  /** Value that is passed to `redirectUri` unchanged. */
  state?: string
}

export interface ProviderAuthorization {
  /** URL to open in the browser of this request, which has received the cookie that the callback requires. */
  authorizationUrl: string
}

export interface StepUpWithIdentityRequest {
  /** URL to which the callback redirects with `status=stepped_up` and `provider`, or with `error`; it must equal a URL of `PLATEN_REDIRECT_URIS`. Without it the callback returns JSON. */
  redirectUri?: string
  /** Value that is passed to `redirectUri` unchanged. */
  state?: string
}

export type Permission = "read" | "write" | "designs:read" | "designs:write" | "assets:read" | "assets:write" | "products:read" | "products:write" | "orders:read" | "orders:write" | "payments:write" | "production:write" | "shipping:write" | "webhooks:read" | "webhooks:write" | "events:read" | "customers:read" | "customers:write" | "prices:write" | "users:read" | "audit:read" | "system:read" | "system:write"

export interface CreateApiKeyRequest {
  /** Label that the user chooses. */
  name: string
  permissions: Permission[]
  expiresAt?: string
}

export interface NewApiKey {
  id: string
  name: string
  permissions: Permission[]
  /** The first characters of the key. */
  start: string
  /** The last four characters of the key. */
  last4: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** The API key. Only this response contains it. */
  key: string | null
}

export interface ApiKey {
  id: string
  name: string
  permissions: Permission[]
  /** The first characters of the key. */
  start: string
  /** The last four characters of the key. */
  last4: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
}

export interface ApiKeyList {
  data: ApiKey[]
  nextCursor: string | null
}

export interface RotateApiKeyRequest {
  /** Time for which the current secret remains valid beside the new one. */
  overlapSeconds?: number
}

export interface ClaimGuestRequest {
  /** The refresh token of the guest. Its access token works too. */
  guestToken: string
}

export interface GuestClaim {
  /** How many designs the guest had. All of them are moved. */
  designs: number
  /** How many assets the guest had, with those that the account already had. */
  assets: number
  /** How many orders the guest had. All of them are moved. */
  orders: number
}

export interface ReadInvitationRequest {
  /** The token from the link in the mail. */
  token: string
}

export type Role = "customer" | "operator" | "admin"

export type StaffRole = "prepress" | "packing" | "accounting" | "read_only" | null

export interface InvitationOffer {
  email: string
  role: Role
  /** Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do. */
  staffRole: StaffRole
  /** Whether the email address has an account, which must sign in. */
  hasAccount: boolean
  expiresAt: string
}

export interface AcceptInvitationRequest {
  /** The token from the link in the mail. */
  token: string
  /** Password. The service uses it unchanged and in full length. */
  password: string
  /** Full name of the user. */
  name?: string
}

export interface AcceptInvitationResponse {
  status: "accepted"
}

export interface ClaimInvitationRequest {
  /** The token from the link in the mail. */
  token: string
}

export interface OwnUser {
  id: string
  email: string
  emailVerified: boolean
  name: string | null
  role: Role
  createdAt: string
  updatedAt: string
  /** Id under which operators see the designs and orders of the account. */
  customerId: string
  /** Language of mails (BCP 47). */
  locale: string | null
  /** Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do. */
  staffRole: StaffRole
  /** What the account may do. An API key may have each of these permissions. */
  permissions: ("designs:read" | "designs:write" | "assets:read" | "assets:write" | "products:read" | "products:write" | "orders:read" | "orders:write" | "payments:write" | "production:write" | "shipping:write" | "webhooks:read" | "webhooks:write" | "events:read" | "customers:read" | "customers:write" | "prices:write" | "users:read" | "audit:read" | "system:read" | "system:write")[]
}

export interface StopOwnFactorResetRequest {
  /** The token from the link in the mail. */
  token: string
}

export interface StopOwnFactorResetResponse {
  status: "stopped"
}

export interface UpdateMeRequest {
  /** Full name of the user. */
  name?: string | null
  /** Language tag (BCP 47), such as `en` or `de-AT`. */
  locale?: string | null
}

export interface StorageUsage {
  /** Bytes of assets, fonts and drafts, of deleted files until their collection, and of uploads in progress. */
  used: number
  /** Limit in bytes; `null` means no limit. */
  quota: number | null
}

export interface User {
  id: string
  email: string
  emailVerified: boolean
  name: string | null
  role: Role
  createdAt: string
  updatedAt: string
}

/** Later versions may add members. */
export interface AccountExport {
  exportedAt: string
  user: User
  /** Sessions, including recently ended ones. */
  sessions: Record<string, unknown>[]
  /** API keys, without their secrets. */
  apiKeys: Record<string, unknown>[]
  /** Second factors, without their secrets. */
  factors: Record<string, unknown>[]
  /** Passkeys with the data that the service stores. */
  passkeys: Record<string, unknown>[]
  /** Identities at providers that can sign in to this account. */
  identities: Record<string, unknown>[]
  /** As in `GET /me/security-events`. */
  securityEvents: Record<string, unknown>[]
  /** As in `GET /orders/{orderId}`. */
  orders: Record<string, unknown>[]
  /** As in `GET /orders/{orderId}/mails`, with `orderId`. */
  orderMails: Record<string, unknown>[]
  /** As in `POST /quotes`, with the postal address. */
  quotes: Record<string, unknown>[]
  /** As in `GET /designs/{designId}`. */
  designs: Record<string, unknown>[]
  /** As in `GET /designs/{designId}/revisions/{revision}`, with `designId`. */
  designRevisions: Record<string, unknown>[]
  /** As in `GET /assets/{assetId}`, with `contentUrl`, the URL of the bytes. */
  assets: Record<string, unknown>[]
  /** As in `GET /fonts/{fontId}`, with `contentUrl`, the URL of the bytes. */
  fonts: Record<string, unknown>[]
  /** As in `GET /webhook-endpoints/{endpointId}`. */
  webhookEndpoints: Record<string, unknown>[]
  /** As in `GET /events`. */
  events: Record<string, unknown>[]
  /** Requests of the last days, as in `GET /system/requests`. */
  requests: Record<string, unknown>[]
  /** One record, as in `GET /me/storage`. */
  storage: Record<string, unknown>[]
}

export interface ManagedUser {
  id: string
  email: string
  emailVerified: boolean
  name: string | null
  role: Role
  createdAt: string
  updatedAt: string
  /** Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do. */
  staffRole: StaffRole
  disabled: boolean
  /** Id under which operators see the designs and orders of the account. */
  customerId: string
  /** Id of the customer in your own system. */
  externalId: string | null
  secondFactors: ("totp" | "sms" | "webauthn")[]
}

export interface ManagedUserList {
  data: ManagedUser[]
  nextCursor: string | null
}

export interface UpdateUserRequest {
  role?: Role
  /** Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do. */
  staffRole?: StaffRole
  disabled?: boolean
}

export interface StorageTotals {
  /** Bytes that all accounts store, as `used` of `GET /me/storage` counts them. */
  used: number
  /** Quota of accounts without their own, in bytes (`PLATEN_STORAGE_QUOTA_MIB`); `null` means no limit. */
  defaultQuota: number | null
}

export interface StorageAccount {
  userId: string
  /** Id of the account as a customer. */
  customerId: string
  /** `customer`: a customer without a sign-in. */
  kind: "account" | "customer" | "guest"
  email: string | null
  name: string | null
  /** As in `GET /me/storage`, in bytes. */
  used: number
  /** The limit that applies, in bytes; `null` means no limit. */
  quota: number | null
  /** Own quota of the account in bytes; `null` stands for the default. */
  storageQuota: number | null
}

export interface StorageAccountList {
  data: StorageAccount[]
  nextCursor: string | null
}

export interface UpdateStorageAccountRequest {
  /** Own quota of the account in bytes; `null` stands for the default. */
  storageQuota: number | null
}

export interface CreateInvitationRequest {
  /** Email address. */
  email: string
  role: Role
  /** Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do. */
  staffRole?: StaffRole
  /** Language tag (BCP 47), such as `en` or `de-AT`. */
  locale?: string
}

export interface Invitation {
  id: string
  email: string
  role: Role
  /** Restricts an operator to a part of the work: `prepress` (designs, uploads, production), `packing` (shipping), `accounting` (payments and refunds) or `read_only`. All of them read orders, products and events. `null`: everything that operators may do. */
  staffRole: StaffRole
  /** Language of the mail (BCP 47). */
  locale: string | null
  /** `revoked` also if the administrator who invited has lost the role since. */
  status: "pending" | "accepted" | "expired" | "revoked"
  /** Id of the administrator. */
  invitedBy: string
  createdAt: string
  expiresAt: string
}

export interface InvitationList {
  data: Invitation[]
  nextCursor: string | null
}

export interface FactorReset {
  id: string
  userId: string
  status: "waiting" | "completed" | "stopped"
  /** Id of the administrator who requested it. */
  startedBy: string
  /** Id of the second administrator; `null` while it waits, and if the waiting time completed it. */
  confirmedBy: string | null
  startedAt: string
  /** When it is completed without a confirmation. */
  dueAt: string
  /** When it was completed or stopped. */
  endedAt: string | null
}

export interface FactorResetList {
  data: FactorReset[]
  nextCursor: string | null
}

export interface Customer {
  id: string
  externalId: string | null
  /** Id of the account; `null` without an account. */
  userId: string | null
  /** Email address of the account, or the one you entered. It identifies no customer. */
  email: string | null
  name: string | null
  locale: string | null
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata: Record<string, string | number | boolean>
  /** Whether the customer is a visitor who did not sign up. */
  guest: boolean
  /** Whether the customer can sign in. */
  hasAccount: boolean
  createdAt: string
  updatedAt: string
}

export interface CustomerList {
  data: Customer[]
  nextCursor: string | null
}

export interface CreateCustomerRequest {
  /** Id of the customer in your own system: printable ASCII. */
  externalId: string
  /** Email address. */
  email?: string | null
  /** Full name. */
  name?: string | null
  /** Language tag (BCP 47), such as `en` or `de-AT`. */
  locale?: string | null
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata?: Record<string, string | number | boolean>
}

export type CustomerExistsProblem = Problem & {
  code: "customer_exists"
  /** Id of the customer that has the external id. */
  customerId: string
}

/** Each member replaces the present value as a whole; `null` removes it. */
export interface UpdateCustomerRequest {
  /** Id of the customer in your own system: printable ASCII. */
  externalId?: string | null
  /** Email address. */
  email?: string | null
  /** Full name. */
  name?: string | null
  /** Language tag (BCP 47), such as `en` or `de-AT`. */
  locale?: string | null
  /** Data of the client, not interpreted by the service. Values are strings, numbers or booleans. */
  metadata?: Record<string, string | number | boolean>
}

export interface MergeCustomerRequest {
  /** Id of the customer that remains. */
  into: string
}

export interface CreateCustomerTokenRequest {
  /** Default: read and write of designs, assets and orders. The credential of this request must have each of them. */
  permissions?: ("designs:read" | "designs:write" | "assets:read" | "assets:write" | "products:read" | "orders:read" | "orders:write" | "webhooks:read" | "webhooks:write" | "events:read")[]
  /** The only design that the token reaches, with its files and the assets of the customer. */
  designId?: string
  expiresInSeconds?: number
}

export interface CustomerToken {
  /** Send it as `Authorization: Bearer`. `null` in the response to a repeated request. */
  token: string | null
  tokenType: "Bearer"
  /** Lifetime of the token in seconds. */
  expiresIn: number
}

export type SecurityEventType = "sign_up" | "sign_up_repeated" | "email_verified" | "sign_in" | "sign_in_failed" | "second_factor_required" | "second_factor_failed" | "sign_out" | "refresh" | "refresh_reuse" | "session_revoked" | "step_up" | "step_up_failed" | "block_started" | "block_ended" | "password_reset_requested" | "password_reset" | "password_changed" | "password_imported" | "email_change_requested" | "email_changed" | "phone_changed" | "factor_added" | "factor_verified" | "factor_removed" | "passkey_added" | "passkey_used" | "passkey_removed" | "passkey_counter_decreased" | "recovery_code_used" | "recovery_codes_replaced" | "identity_linked" | "identity_unlinked" | "api_key_created" | "api_key_rotated" | "api_key_revoked" | "api_key_leaked" | "api_key_used_after_end" | "signing_keys_rotated" | "service_secret_rotated" | "user_access_changed" | "user_sessions_ended" | "storage_quota_changed" | "invitation_created" | "invitation_revoked" | "invitation_accepted" | "factor_reset_started" | "factor_reset_stopped" | "factors_reset" | "shop_settings_changed" | "job_retried" | "price_agreed" | "account_emptied" | "account_exported" | "account_deleted" | "customer_created" | "customer_changed" | "customer_deleted" | "customer_merged" | "customer_token_issued" | "customer_acted_for" | "guest_created" | "guest_claimed"

export interface OwnSecurityEvent {
  id: string
  /** Type of the event, such as `sign_in` or `password_changed`. Later versions may add types. */
  type: string
  result: "success" | "failure"
  createdAt: string
  /** Method of authentication, such as `password`, `totp` or `google`. */
  method: string | null
  /** Session of the event. */
  sessionId: string | null
  ipAddress: string | null
  userAgent: string | null
  details: Record<string, string | number | boolean | null>
  /** Actor: the owner of the account, an administrator, an operator at the command line, the service itself, or `unknown` if the actor was not authenticated. */
  actor: "you" | "administrator" | "operator" | "system" | "unknown"
}

export interface OwnSecurityEventList {
  data: OwnSecurityEvent[]
  nextCursor: string | null
}

export interface SecurityEvent {
  id: string
  /** Type of the event, such as `sign_in` or `password_changed`. Later versions may add types. */
  type: string
  result: "success" | "failure"
  createdAt: string
  /** Method of authentication, such as `password`, `totp` or `google`. */
  method: string | null
  /** Session of the event. */
  sessionId: string | null
  ipAddress: string | null
  userAgent: string | null
  details: Record<string, string | number | boolean | null>
  /** Account of the event; null if it is unknown. */
  userId: string | null
  /** Actor: the id of a user, `operator` (at the command line), `system`, or null if the actor was not authenticated. */
  actor: string | null
  /** What the account is known by: its email address, or for a customer without an account its name, email address, external id or id. Null for an erased account, and for callers without `users:read` and `customers:read`. */
  userName: string | null
  /** The same for the actor. Null for actors that are not users. */
  actorName: string | null
}

export interface SecurityEventList {
  data: SecurityEvent[]
  nextCursor: string | null
}

export interface SigningKey {
  /** Name of the key, as in the JWKS. */
  kid: string
  /** `access_token`: sessions. `statement`: receipts of finalized designs. */
  purpose: "access_token" | "statement"
  /** `current`: signs. `next`: is published, and signs after the next rotation. `retired`: only verifies signatures. */
  state: "next" | "current" | "retired"
  createdAt: string
  /** Since when the key signs nothing. */
  retiredAt: string | null
  /** Until when its signatures are accepted. Null: no end is known. */
  verifiesUntil: string | null
}

export interface SigningKeyList {
  data: SigningKey[]
}

export interface RotateSigningKeysRequest {
  purposes: ("access_token" | "statement")[]
  /** Rotates even if clients may not have the next key yet. Default: `false`. */
  force?: boolean
}

export type SigningKeysTooYoungProblem = Problem & {
  code: "signing_keys_too_young"
  /** When every client has the next key. */
  readyAt: string
}

export interface ImportFault {
  /** Stable code, or the code of the problem that the change would have. */
  code: string
  /** The column as the header of the file names it. */
  column?: string
  detail: string
}

export interface ImportedVariant {
  /** The line of the file, beginning with 1. */
  line: number
  /** As the file names it, cut at 64 characters. Of a new product, its id after the import. */
  productId: string
  /** Variant id or SKU as the file names it, cut at 64 characters. */
  variant: string
  /** Name of the product that the line describes, cut at 64 characters. */
  newProduct?: string
  /** `ready`: would be imported without `dryRun`. `unchanged`: the variant has these values already. */
  outcome: "ready" | "imported" | "unchanged" | "faulty"
  /** Present if the line is `faulty`. */
  errors?: ImportFault[]
}

export interface VariantImport {
  dryRun: boolean
  counts: {
    ready: number
    imported: number
    unchanged: number
    faulty: number
  }
  /** Number of the products that are created, or would be. */
  newProducts: number
  /** Columns of the file that the import does not know. */
  ignoredColumns: string[]
  lines: ImportedVariant[]
}

export interface StripeEventReceived {
  received: true
}

export interface ImportedLine {
  /** The line of the file, beginning with 1. */
  line: number
  /** The order as the file names it, cut at 64 characters. */
  order: string
  orderId?: string
  /** `ready`: would be shipped without `dryRun`. `unchanged`: the parcel has been recorded before, or the order has left. */
  outcome: "ready" | "shipped" | "unchanged" | "faulty"
  /** Present if the line is `faulty`. */
  errors?: ImportFault[]
}

export interface ShipmentImport {
  dryRun: boolean
  counts: {
    ready: number
    shipped: number
    unchanged: number
    faulty: number
  }
  /** Columns of the file that the import does not know. */
  ignoredColumns: string[]
  lines: ImportedLine[]
}

/** The event of `POST /webhook-endpoints/{endpointId}/test`. */
export interface WebhookTestEvent {
  id: string
  type: "webhook.test"
  createdAt: string
  sequence: number
  /** Id of the endpoint. */
  subject: string
  /** The endpoint without its URL. */
  data: {
    id: string
    /** Null means all types. */
    types: string[] | null
    description: string | null
    status: "enabled" | "disabled"
    /** `by_owner`: the owner disabled the endpoint. `gone`: the endpoint responded with 410. `failing`: all requests have failed since the first attempt of a delivery that has no retries left, or for five days. For `gone` and `failing`, the owner gets a mail. */
    disabledReason?: "by_owner" | "gone" | "failing"
    disabledAt?: string
    /** Since then, all requests to the endpoint have failed. While they fail, at most 50 deliveries wait; those of later events follow as soon as the endpoint works. Absent if the last request succeeded. */
    failingSince?: string
    /** After a rotation of the secret, the end of the overlap. Until then, requests are also signed with the secret that was current before. Absent outside of an overlap. */
    previousSecretEndsAt?: string
    createdAt: string
    updatedAt: string
  }
}

export type WebhookEvent = Event | WebhookTestEvent

export interface ProblemDetail {
  code: string
  /** JSON Pointer into the request body. */
  pointer?: string
  parameter?: string
  header?: string
  detail: string
}

/** Problem details (RFC 9457). */
export interface Problem {
  /** URL of a page that explains the problem. */
  type: string
  title: string
  status: number
  detail: string
  instance: string
  /** Stable identifier of the kind of problem. */
  code: string
  requestId: string
  /** JSON Pointer into the request body. Present if the only fault is in the body. */
  pointer?: string
  /** Name of the path or query parameter. Present if the only fault is in a parameter. */
  parameter?: string
  /** Name of the header. Present if the only fault is in a header. */
  header?: string
  errors?: ProblemDetail[]
}

/** Parameters of `products.getImage`. */
export interface GetProductImageQuery {
  /** The longest side in pixels. A smaller image keeps its size. */
  width?: 160 | 320 | 640 | 1280 | undefined
}

/** Parameters of `products.listChanges`. */
export interface ListProductChangesQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `products.exportVariants`. */
export interface ExportVariantsQuery {
  status?: "active" | "archived" | undefined
  /** `semicolon`: fields separated by semicolons and decimal commas, as spreadsheets in German expect. */
  format?: "comma" | "semicolon" | undefined
}

/** Parameters of `products.list`. */
export interface ListProductsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  status?: "active" | "archived" | undefined
  /** One of `categories`. */
  category?: string | undefined
  /** Words or beginnings of words of name, descriptions and categories. A product must have all of them. Case and accents make no difference. */
  q?: string | undefined
}

/** Parameters of `changeRecords.list`. */
export interface ListChangeRecordsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** What changed. */
  subject: "product" | "template" | "color_profile" | "shipping_method" | "tax_settings" | "shop" | "mail_text"
  /** Default: all changes of this kind. */
  subjectId?: string | undefined
}

/** Parameters of `shopSettings.previewShopColors`. */
export interface PreviewShopColorsQuery {
  /** `#rrggbb`, with `#` as `%23`. */
  accentColor: string
}

/** Parameters of `shopSettings.getShopLogo`. */
export interface GetShopLogoQuery {
  /** The longest side in pixels. A smaller logo keeps its size. */
  width?: 160 | 640 | 1280 | undefined
}

/** Parameters of `assets.list`. */
export interface ListAssetsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `assets.getThumbnail`. */
export interface GetAssetThumbnailQuery {
  /** Pixels of the longest side. Default: 400. */
  size?: 400 | 800 | 1600 | undefined
}

/** Parameters of `links.getAssetContent`. */
export interface GetLinkedAssetContentQuery {
  /** Part of the link. */
  expires: string
  /** Part of the link. */
  signature: string
}

/** Parameters of `links.getAssetThumbnail`. */
export interface GetLinkedAssetThumbnailQuery {
  /** Part of the link. */
  expires: string
  /** Part of the link. */
  signature: string
}

/** Parameters of `colorProfiles.list`. */
export interface ListColorProfilesQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `fonts.listUploaded`. */
export interface ListUploadedFontsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `templates.list`. */
export interface ListTemplatesQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  productId?: string | undefined
  /** One of `categories`. */
  category?: string | undefined
  /** `archived` needs the role `admin` and the permission `products:write`. */
  status?: "active" | "archived" | undefined
  /** `summary` leaves out `document`. */
  view?: "summary" | undefined
}

/** Parameters of `templates.preview`. */
export interface PreviewTemplateQuery {
  /** Default: the first print area of the product. */
  printAreaId?: string | undefined
  /** Width in pixels. The height follows from the print area. */
  width?: 160 | 320 | 640 | 1280 | undefined
}

/** Parameters of `designs.list`. */
export interface ListDesignsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  status?: "draft" | "finalizing" | "finalized" | "archived" | undefined
  productId?: string | undefined
  /** Only the record with this `externalReference`. */
  externalReference?: string | undefined
  /** Words or beginnings of words, all of which must occur in the name. Case and accents are ignored; one or two Latin letters or digits match whole words only. */
  q?: string | undefined
  /** `summary` leaves out `document`, `preflight` and `finalization.receipt`. Default: `full`. */
  view?: "full" | "summary" | undefined
  /** Only records whose metadata has all of these values: `metadata[key]=value`, at most 10 keys. `7` and `true` also match the number and the boolean. */
  metadata?: Record<string, string> | undefined
}

/** Parameters of `designs.listRevisions`. */
export interface ListDesignRevisionsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `designs.preview`. */
export interface PreviewDesignQuery {
  /** Default: the first print area of the product. */
  printAreaId?: string | undefined
  /** Width in pixels. The height follows from the print area. */
  width?: number | undefined
  /** URL-encoded JSON object with the texts of the placeholders, in the form of `items[].data` of an order, at most 8192 characters. Unknown names are ignored. A placeholder without a text is shown as it is written. */
  data?: string | undefined
}

/** Parameters of `links.getDesignPreview`. */
export interface GetLinkedDesignPreviewQuery {
  /** Default: the first print area of the product. */
  printAreaId: string
  /** Width in pixels. The height follows from the print area. */
  width: number
  /** Part of the link. */
  expires: string
  /** Part of the link. */
  signature: string
}

/** Parameters of `links.getDesignFile`. */
export interface GetLinkedDesignFileQuery {
  /** Part of the link. */
  expires: string
  /** Part of the link. */
  signature: string
}

/** Parameters of `shippingMethods.list`. */
export interface ListShippingMethodsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** ISO 4217 code. */
  currency?: string | undefined
  /** Destination country. Default: the lowest price for any destination. */
  country?: CountryCode | undefined
  /** Weight of the whole parcel. */
  weightGrams?: number | undefined
}

/** Parameters of `shippingSettings.list`. */
export interface ListShippingSettingsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `orders.list`. */
export interface ListOrdersQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** One or more of awaiting_payment, confirmed, in_production, partially_shipped, shipped, delivered, on_hold, cancelled, separated by commas. Default: all. */
  status?: string | undefined
  /** Number of one order, in any status. Lower case and missing dashes are accepted. */
  number?: string | undefined
  /** Only the record with this `externalReference`. */
  externalReference?: string | undefined
  /** Only orders of this customer. */
  customerId?: string | undefined
  /** Whole words or beginnings of words, all of which must occur in one of the two halves of the order number, or in the name, company or postal code of the shipping address. Case and accents are ignored; one or two Latin letters or digits match whole words only. Alternatively, the beginning of the order number, from one character of its second half on (without dash and `PL` from three characters on); the email address of the account, the beginning of the email address in the shipping address, or a whole tracking number, `externalReference` or reference of the payment. Cities and products are not searched, because they would match a tenth of all orders. */
  q?: string | undefined
  /** Only orders created at this time or later. */
  createdFrom?: string | undefined
  /** Only orders created before this time. */
  createdTo?: string | undefined
  /** Destination country: ISO 3166-1 alpha-2 code, upper case. */
  country?: CountryCode | undefined
  /** Id of the shipping method. */
  shippingMethod?: string | undefined
  /** Only orders with an item of a variant that this product has now. */
  productId?: string | undefined
  /** Only orders with an item whose own print files are pending or have failed. Without `status`, the list leaves out delivered and cancelled orders, whose files cannot be rendered again. */
  personalization?: "pending" | "failed" | undefined
  /** One or more of pending, authorized, captured, partially_refunded, refunded, failed, separated by commas. */
  paymentStatus?: string | undefined
  /** Only orders with an open dispute (chargeback). */
  disputed?: "true" | undefined
  /** Only orders that are to be produced or shipped and whose `dueAt` has passed. */
  late?: "true" | undefined
  /** `createdAt` sorts oldest first. Default: newest first. */
  sort?: "createdAt" | "-createdAt" | undefined
  /** `summary` leaves out `timeline`, `notes`. Default: `full`. */
  view?: "full" | "summary" | undefined
  /** Only records whose metadata has all of these values: `metadata[key]=value`, at most 10 keys. `7` and `true` also match the number and the boolean. */
  metadata?: Record<string, string> | undefined
}

/** Parameters of `links.getOrderItemFile`. */
export interface GetLinkedOrderItemFileQuery {
  by: "customer" | "operator"
  /** Part of the link. */
  expires: string
  /** Part of the link. */
  signature: string
}

/** Parameters of `production.listOrders`. */
export interface ListProductionOrdersQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** One or more of awaiting_payment, confirmed, in_production, partially_shipped, shipped, delivered, on_hold, cancelled, separated by commas. Default: the statuses to be produced or shipped; with `number`, `externalReference`, `q` or `disputed`, all. */
  status?: string | undefined
  /** Number of one order, in any status. Lower case and missing dashes are accepted. */
  number?: string | undefined
  /** Only the record with this `externalReference`. */
  externalReference?: string | undefined
  /** Only orders of this customer. */
  customerId?: string | undefined
  /** Whole words or beginnings of words, all of which must occur in one of the two halves of the order number, or in the name, company or postal code of the shipping address. Case and accents are ignored; one or two Latin letters or digits match whole words only. Alternatively, the beginning of the order number, from one character of its second half on (without dash and `PL` from three characters on); the email address of the account, the beginning of the email address in the shipping address, or a whole tracking number, `externalReference` or reference of the payment. Cities and products are not searched, because they would match a tenth of all orders. */
  q?: string | undefined
  /** Only orders created at this time or later. */
  createdFrom?: string | undefined
  /** Only orders created before this time. */
  createdTo?: string | undefined
  /** Destination country: ISO 3166-1 alpha-2 code, upper case. */
  country?: CountryCode | undefined
  /** Id of the shipping method. */
  shippingMethod?: string | undefined
  /** Only orders with an item of a variant that this product has now. */
  productId?: string | undefined
  /** Only orders with an item whose own print files are pending or have failed. Without `status`, the list leaves out delivered and cancelled orders, whose files cannot be rendered again. */
  personalization?: "pending" | "failed" | undefined
  /** One or more of pending, authorized, captured, partially_refunded, refunded, failed, separated by commas. */
  paymentStatus?: string | undefined
  /** Only orders with an open dispute (chargeback). */
  disputed?: "true" | undefined
  /** Only orders that are to be produced or shipped and whose `dueAt` has passed. */
  late?: "true" | undefined
  /** `createdAt` sorts oldest first, `dueAt` by due time, orders without one at the end. Default: newest first. */
  sort?: "createdAt" | "-createdAt" | "dueAt" | undefined
  /** `summary` leaves out `timeline`, `notes`. Default: `full`. */
  view?: "full" | "summary" | undefined
  /** Only records whose metadata has all of these values: `metadata[key]=value`, at most 10 keys. `7` and `true` also match the number and the boolean. */
  metadata?: Record<string, string> | undefined
}

/** Parameters of `production.getOrderStatistics`. */
export interface GetOrderStatisticsQuery {
  /** How many days, of which today is the last one. */
  days?: number | undefined
  /** Time zone in which days begin, by its IANA name, such as `Europe/Berlin`. */
  timeZone?: string | undefined
}

/** Parameters of `production.drawOrderItemFilePage`. */
export interface DrawOrderItemFilePageQuery {
  /** Width of the picture in pixels. Pages with extreme proportions get fewer. */
  width?: number | undefined
}

/** Parameters of `production.getPickLists`. */
export interface GetPickListsQuery {
  /** One or more of awaiting_payment, confirmed, in_production, partially_shipped, shipped, delivered, on_hold, cancelled, separated by commas. Default: the statuses to be produced or shipped; with `number`, `externalReference`, `q` or `disputed`, all. */
  status?: string | undefined
  /** Number of one order, in any status. Lower case and missing dashes are accepted. */
  number?: string | undefined
  /** Only the record with this `externalReference`. */
  externalReference?: string | undefined
  /** Only orders of this customer. */
  customerId?: string | undefined
  /** Whole words or beginnings of words, all of which must occur in one of the two halves of the order number, or in the name, company or postal code of the shipping address. Case and accents are ignored; one or two Latin letters or digits match whole words only. Alternatively, the beginning of the order number, from one character of its second half on (without dash and `PL` from three characters on); the email address of the account, the beginning of the email address in the shipping address, or a whole tracking number, `externalReference` or reference of the payment. Cities and products are not searched, because they would match a tenth of all orders. */
  q?: string | undefined
  /** Only orders created at this time or later. */
  createdFrom?: string | undefined
  /** Only orders created before this time. */
  createdTo?: string | undefined
  /** Destination country: ISO 3166-1 alpha-2 code, upper case. */
  country?: CountryCode | undefined
  /** Id of the shipping method. */
  shippingMethod?: string | undefined
  /** Only orders with an item of a variant that this product has now. */
  productId?: string | undefined
  /** Only orders with an item whose own print files are pending or have failed. Without `status`, the list leaves out delivered and cancelled orders, whose files cannot be rendered again. */
  personalization?: "pending" | "failed" | undefined
  /** One or more of pending, authorized, captured, partially_refunded, refunded, failed, separated by commas. */
  paymentStatus?: string | undefined
  /** Only orders with an open dispute (chargeback). */
  disputed?: "true" | undefined
  /** Only orders that are to be produced or shipped and whose `dueAt` has passed. */
  late?: "true" | undefined
  /** `createdAt` sorts oldest first, `dueAt` by due time, orders without one at the end. Default: newest first. */
  sort?: "createdAt" | "-createdAt" | "dueAt" | undefined
  /** Only these orders: up to 50 ids, separated by commas. Ids without an order are ignored. */
  orderIds?: string | undefined
  /** Maximum number of orders. */
  limit?: number | undefined
}

/** Parameters of `production.listBatches`. */
export interface ListBatchesQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  status?: "open" | "done" | undefined
}

/** Parameters of `production.getBatchPickLists`. */
export interface GetBatchPickListsQuery {
  /** Number of orders to leave out at the begin. */
  offset?: number | undefined
  /** Maximum number of orders. */
  limit?: number | undefined
}

/** Parameters of `mailPreviews.previewMail`. */
export interface PreviewMailQuery {
  language: "en" | "de"
}

/** Parameters of `events.list`. */
export interface ListEventsQuery {
  /** Id of the last event read. Default: read from the oldest event. */
  after?: string | undefined
  /** `nextCursor` of the previous page, as in other lists. Replaces `after`. */
  cursor?: string | undefined
  /** `asc`, the default: oldest first. `desc`: newest first, without `after`. */
  order?: "asc" | "desc" | undefined
  /** Only events of this type. */
  type?: EventType | undefined
  /** Only events of this record, such as the id of an order. */
  subject?: string | undefined
  /** Only events that were created at this time or later. */
  from?: string | undefined
  /** Only events that were created before this time. */
  to?: string | undefined
  limit?: number | undefined
}

/** Parameters of `events.stream`. */
export interface StreamEventsQuery {
  /** Id of the event to continue after, for the first request of a client. `Last-Event-ID` takes precedence. Without both the stream starts with the next event. */
  after?: string | undefined
  /** Only events of this type. */
  type?: EventType | undefined
  /** A ticket of `POST /events/tickets` in place of the `Authorization` header. */
  ticket?: string | undefined
}

/** Parameters of `webhookEndpoints.list`. */
export interface ListWebhookEndpointsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `webhookEndpoints.listDeliveries`. */
export interface ListWebhookDeliveriesQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** Only deliveries with this status. */
  status?: "pending" | "delivered" | "failed" | undefined
}

/** Parameters of `system.listJobs`. */
export interface ListJobsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** `waiting`: will run by itself. `failed`: all attempts are used up. */
  state?: "waiting" | "running" | "failed" | undefined
  /** Only jobs of this kind. */
  kind?: string | undefined
}

/** Parameters of `system.listRequestLog`. */
export interface ListRequestLogQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** Only the request with this id. */
  requestId?: string | undefined
  /** Only responses with this status, such as `404`, or of this class, such as `5xx`. */
  status?: string | undefined
  /** Only requests of this path, such as `/orders/{orderId}`. */
  route?: string | undefined
  /** Only requests of this account, or of this operator for a customer. */
  userId?: string | undefined
  /** Only requests with this API key. */
  keyId?: string | undefined
  /** Only requests at this time or later. */
  from?: string | undefined
  /** Only requests before this time. */
  to?: string | undefined
}

/** Parameters of `auth.listSessions`. */
export interface ListSessionsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `auth.listPasskeys`. */
export interface ListPasskeysQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `auth.signInWithGoogle`. */
export interface SignInWithGoogleQuery {
  /** URL to which the callback redirects with `code` or `error`; it must equal a URL of `PLATEN_REDIRECT_URIS`. Without it the callback returns the tokens as JSON. */
  redirectUri?: string | undefined
  /** Value that is passed to `redirectUri` unchanged. */
  state?: string | undefined
  /** S256 code challenge (RFC 7636). Redeeming the code then requires its verifier. */
  codeChallenge?: string | undefined
}

/** Parameters of `auth.finishGoogle`. */
export interface FinishGoogleQuery {
  code?: string | undefined
  state?: string | undefined
  error?: string | undefined
}

/** Parameters of `auth.signInWithGitHub`. */
export interface SignInWithGitHubQuery {
  /** URL to which the callback redirects with `code` or `error`; it must equal a URL of `PLATEN_REDIRECT_URIS`. Without it the callback returns the tokens as JSON. */
  redirectUri?: string | undefined
  /** Value that is passed to `redirectUri` unchanged. */
  state?: string | undefined
  /** S256 code challenge (RFC 7636). Redeeming the code then requires its verifier. */
  codeChallenge?: string | undefined
}

/** Parameters of `auth.finishGitHub`. */
export interface FinishGitHubQuery {
  code?: string | undefined
  state?: string | undefined
  error?: string | undefined
}

/** Parameters of `apiKeys.list`. */
export interface ListApiKeysQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `users.list`. */
export interface ListUsersQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** Words of email address, name or external id. Each word matches as a prefix, a word of two letters as a whole. */
  q?: string | undefined
  /** Exact email address. */
  email?: string | undefined
  /** Id of the customer in your own system: printable ASCII. */
  externalId?: string | undefined
  role?: Role | undefined
  staffRole?: "prepress" | "packing" | "accounting" | "read_only" | undefined
  disabled?: boolean | undefined
}

/** Parameters of `users.listSessions`. */
export interface ListUserSessionsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `storage.listAccounts`. */
export interface ListStorageAccountsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
}

/** Parameters of `invitations.list`. */
export interface ListInvitationsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  status?: "pending" | "accepted" | "expired" | "revoked" | undefined
}

/** Parameters of `factorResets.list`. */
export interface ListFactorResetsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  status?: "waiting" | "completed" | "stopped" | undefined
  userId?: string | undefined
}

/** Parameters of `customers.list`. */
export interface ListCustomersQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** Id of the customer in your own system: printable ASCII. */
  externalId?: string | undefined
  /** Exact email address. */
  email?: string | undefined
  /** Words of external id, name or email address. Each word matches as a prefix. */
  q?: string | undefined
}

/** Parameters of `me.listSecurityEvents`. */
export interface ListMySecurityEventsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** One security event. */
  type?: SecurityEventType | undefined
}

/** Parameters of `securityEvents.list`. */
export interface ListSecurityEventsQuery {
  /** Maximum number of records. A page of large records ends earlier, at about 2 MiB. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** Only events of this account. */
  userId?: string | undefined
  /** One security event. */
  type?: SecurityEventType | undefined
  result?: "success" | "failure" | undefined
  /** Only events at this time or later. */
  from?: string | undefined
  /** Only events before this time. */
  to?: string | undefined
}

/** Parameters of `products.importVariants`. */
export interface ImportVariantsQuery {
  /** `true`: checks the file and changes nothing. */
  dryRun?: "true" | "false" | undefined
}

/** Parameters of `production.importShipments`. */
export interface ImportShipmentsQuery {
  /** `true`: checks the file and changes nothing. */
  dryRun?: "true" | "false" | undefined
  /** Reports and ships the lines from this line of the file on. Default: all lines. */
  firstLine?: number | undefined
  /** Reports and ships the lines up to this line of the file. Default: all lines. */
  lastLine?: number | undefined
}
