// Written by `npm run client` from openapi.json. Change the contract instead of this file.

import type { ApiCall } from '../call.ts'
import type { PagedCall } from '../paging.ts'
import type { StreamEvents } from '../events/stream-types.ts'
import type { CallOptions, FileBody, RequestOptions, UploadOptions } from '../options.ts'
import type { AcceptInvitationRequest, AcceptInvitationResponse, AccountExport, AddOrderNoteRequest, AddOrdersToBatchRequest, AddPasskeyRequest, AddPasskeyResponse, AdvanceTestOrderRequest, ApiKey, ApiKeyList, ApplyDesignFixesRequest, Asset, AssetList, AuditLogVerification, Batch, BatchSummaryList, BulkResults, CancelOrderRequest, ChallengeSecondFactorRequest, ChallengeSecondFactorResponse, ChallengeStepUpRequest, ChallengeStepUpResponse, ChangeDesignRequest, ChangeEmailRequest, ChangeEmailResponse, ChangeOrderRequest, ChangeOrdersInBulkRequest, ChangePasswordRequest, ChangeProductRequest, ChangeRecordList, ChangeShipmentRequest, ChangeShippingMethodRequest, ChangeShopSettingsRequest, ChangeTemplateRequest, ClaimGuestRequest, ClaimInvitationRequest, ColorProfile, ColorProfileList, ConfirmEmailRequest, ConfirmEmailResponse, ConfirmFactorRequest, ConfirmFactorResponse, CreateApiKeyRequest, CreateAssetLinkRequest, CreateBatchRequest, CreateCustomerRequest, CreateCustomerTokenRequest, CreateDesignLinkRequest, CreateDesignRequest, CreateInvitationRequest, CreateOrderLinkRequest, CreateOrderRequest, CreateProductRequest, CreateQuoteRequest, CreateShippingMethodRequest, CreateTemplateRequest, CreateWebhookEndpointRequest, Customer, CustomerList, CustomerToken, Design, DesignList, DesignRevision, DesignRevisionSummaryList, DownloadPrintFilesRequest, DrawOrderItemFilePageQuery, EnableFactorRequest, Event, EventList, EventStreamTicket, ExportVariantsQuery, FactorReset, FactorResetList, FinishGitHubQuery, FinishGoogleQuery, FixedDesign, Font, FontFamilyList, FontFilesList, FontList, ForgotPasswordRequest, ForgotPasswordResponse, GetAssetThumbnailQuery, GetBatchPickListsQuery, GetLinkedAssetContentQuery, GetLinkedAssetThumbnailQuery, GetLinkedDesignFileQuery, GetLinkedDesignPreviewQuery, GetLinkedOrderItemFileQuery, GetMfaResponse, GetOrderStatisticsQuery, GetPickListsQuery, GetProductImageQuery, GetShopLogoQuery, GuestClaim, HoldOrderRequest, IdentityList, ImportShipmentsQuery, ImportVariantsQuery, Invitation, InvitationList, InvitationOffer, Job, JobList, JsonPatchAdd, JsonPatchCopy, JsonPatchMove, JsonPatchRemove, JsonPatchReplace, JsonPatchTest, Link, LinkIdentityRequest, ListApiKeysQuery, ListAssetsQuery, ListBatchesQuery, ListChangeRecordsQuery, ListColorProfilesQuery, ListCustomersQuery, ListDesignRevisionsQuery, ListDesignsQuery, ListEventsQuery, ListFactorResetsQuery, ListInvitationsQuery, ListJobsQuery, ListMySecurityEventsQuery, ListOrdersQuery, ListPasskeysQuery, ListProductChangesQuery, ListProductionOrdersQuery, ListProductsQuery, ListRequestLogQuery, ListSecurityEventsQuery, ListSessionsQuery, ListShippingMethodsQuery, ListShippingSettingsQuery, ListStorageAccountsQuery, ListTemplatesQuery, ListUploadedFontsQuery, ListUserSessionsQuery, ListUsersQuery, ListWebhookDeliveriesQuery, ListWebhookEndpointsQuery, LoginRequest, MailKindList, MailPreview, MailText, MailsOfOrder, ManagedUser, ManagedUserList, MergeCustomerRequest, NewApiKey, NewWebhookEndpoint, Order, OrderList, OrderNote, OrderStatistics, OwnSecurityEventList, OwnUser, Passkey, PasskeyCreation, PasskeyList, PasskeyRequest, PayOrderRequest, PendingFactor, PreflightReport, PreviewDesignQuery, PreviewMailQuery, PreviewMailTextRequest, PreviewPricesRequest, PreviewShopColorsQuery, PreviewTemplateQuery, PricePreview, Product, ProductChangeList, ProductList, ProviderAuthorization, ProviderCallbackResult, Quote, ReadInvitationRequest, RecordPaymentRequest, RedeemCodeRequest, RefreshRequest, Refund, RefundOrderRequest, RegisterRequest, RegisterResponse, RenamePasskeyRequest, RenewRecoveryCodesResponse, ReplaceMailTextRequest, ReplaceTaxSettingsRequest, ReplayWebhookEventsRequest, ReplayWebhookEventsResponse, RequestLogEntry, RequestLogEntryList, ResendVerificationRequest, ResendVerificationResponse, ResetPasswordRequest, ResolveHoldRequest, ReturnShipmentRequest, RotateApiKeyRequest, RotateSigningKeysRequest, RotateWebhookSecretRequest, RotateWebhookSecretResponse, SecurityEventList, SendTestMailRequest, SessionList, ShipOrderRequest, Shipment, ShipmentImport, ShippingMethodList, ShippingMethodSettings, ShippingMethodSettingsList, ShopColors, ShopSettings, SignInResult, SignInWithGitHubQuery, SignInWithGoogleQuery, SignInWithPasskeyRequest, SigningKeyList, StepUpRequest, StepUpWithIdentityRequest, SteppedUpToken, StopOwnFactorResetRequest, StopOwnFactorResetResponse, StorageAccount, StorageAccountList, StorageTotals, StorageUsage, StripeEventReceived, SystemConfiguration, SystemStatus, TaxSettings, Template, TemplateList, TestMailSent, TokenPair, UpdateCustomerRequest, UpdateMeRequest, UpdateStorageAccountRequest, UpdateUserRequest, UpdateWebhookEndpointRequest, UploadAssetRequest, VariantImport, VerifyEmailRequest, VerifyEmailResponse, VerifySecondFactorRequest, WebhookDelivery, WebhookDeliveryList, WebhookEndpoint, WebhookEndpointList } from './types.ts'

export interface ProductsResource {
  /**
   * Download an image of a product.
   *
   * Returns WebP in sRGB, upright. The response needs no credential and may be cached forever. An image that the product no longer shows is 404.
   */
  getImage(productId: string, imageId: string, query?: GetProductImageQuery | undefined, options?: CallOptions<'ifNoneMatch'>): Promise<Response>

  /**
   * List the changes of a product.
   *
   * For administrators. Newest first. Each change names its actor and the values before and after. It is recorded in the transaction of the change. Changes that were made before this record existed, and those of processes of earlier releases, are missing; a gap in `revision` shows them.
   *
   * Requires: the role `admin`, and the permission `products:read`.
   */
  listChanges(productId: string, query?: ListProductChangesQuery | undefined, options?: RequestOptions): PagedCall<ProductChangeList>

  /**
   * Preview the prices of quantities.
   *
   * Returns what quantities cost with price tiers that need not be those of a product, by the rules that orders use. Shipping and tax are not included. The operation stores nothing.
   *
   * Requires: the role `admin`, and the permission `products:read`.
   */
  previewPrices(body: PreviewPricesRequest, options?: RequestOptions): ApiCall<PricePreview>

  /**
   * Export prices and variants as CSV.
   *
   * Returns a line for each variant: product id, revision, name and currency of the product, the size of its first print area, variant id, options, SKU, weight, availability, and a column `Price from N` for each quantity from which a price applies, in units of the currency. `POST /products/variants/import` reads the file.
   *
   * Requires: the role `admin`, and the permission `products:read`.
   */
  exportVariants(query?: ExportVariantsQuery | undefined, options?: RequestOptions): Promise<Response>

  /**
   * List products.
   *
   * Lists active products by `sort`, then by name. `status=archived` lists archived ones instead.
   */
  list(query?: ListProductsQuery | undefined, options?: RequestOptions): PagedCall<ProductList>

  /**
   * Create a product.
   *
   * The security events record the creation and each change of a product as `shop_settings_changed`, with `"setting": "product"`.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  create(body: CreateProductRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Product>

  /**
   * Read a product.
   *
   * Also returns archived products. The `ETag` is the version for `If-Match`, with which changes require that the product has not changed since it was read.
   */
  get(productId: string, options?: RequestOptions): ApiCall<Product>

  /**
   * Change a product.
   *
   * Replaces the members that it names. In `variants`, an entry with `id` keeps its id, an entry without `id` gets a new one, and a variant that is left out is removed. Finalized designs and orders do not change. If the product is not the version of `If-Match`, 412 `precondition_failed` contains the present `product`.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  change(productId: string, body: ChangeProductRequest, options?: CallOptions<'ifMatch'>): ApiCall<Product>

  /**
   * Archive a product.
   *
   * Removes the product from the list of active products. It can still be read. A draft of an archived product can be saved but not finalized, and an expired price lock cannot be renewed.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  archive(productId: string, options?: CallOptions<'ifMatch'>): ApiCall<Product>

  /**
   * Restore an archived product.
   *
   * The shop lists the product again, and its drafts can be finalized.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  restore(productId: string, options?: CallOptions<'ifMatch'>): ApiCall<Product>

  /**
   * Import prices and variants from CSV.
   *
   * Takes a CSV file with a header and up to 2000 lines, one for each variant, such as a file of `GET /products/variants/export`. `product id` names a product, and `variant id` or `SKU` its variant; a line with both changes the SKU. Other columns are optional, and an empty field changes nothing: `weight` in grams, `available` (`yes` or `no`), and `price from 1`, `price from 100` and so on, in units of the currency. The prices of a line replace all tiers of the variant. Lines without a product id and with the name of no product in `product` create an archived product, with a variant for each line: they need `currency`, `width` and `height` in millimetres, `SKU`, `weight` and prices, and may have `bleed`, `safe margin` and `options` such as `Paper: matt; Finish: gloss`. `POST /products/{productId}/restore` puts the product in the shop. The same lines again create nothing. If `revision` is not the present one of the product, the line is faulty. Fields are separated by commas, semicolons or tabs, and numbers may have a decimal comma. The import takes all lines or none: if a line is faulty, 422 `variant_file_faulty` names line and column. `dryRun=true` reports each line and changes nothing.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  importVariants(file: FileBody, options?: CallOptions<'idempotencyKey'> & UploadOptions & { query?: ImportVariantsQuery }): ApiCall<VariantImport>
}

export interface ChangeRecordsResource {
  /**
   * List the changes of the catalogue and of settings.
   *
   * For administrators. Newest first. Each record names its actor and the values before and after, and is written in the transaction of the change. Records of the shop and of mail texts need `system:read`, too. Changes that were made before these records existed, and those of processes of earlier releases, are missing.
   *
   * Requires: the role `admin`, and the permission `products:read`.
   */
  list(query: ListChangeRecordsQuery, options?: RequestOptions): PagedCall<ChangeRecordList>
}

export interface ShopSettingsResource {
  /**
   * Read the settings of the shop.
   *
   * The name, the logo, the colours and the languages of the shop, and who may register. The `ETag` is the version for `If-Match`.
   */
  get(options?: RequestOptions): ApiCall<ShopSettings>

  /**
   * Change the settings of the shop.
   *
   * Replaces the members that it names. A change has effect at once, on other nodes within a second. A logo is an image of the caller, which API keys need `assets:read` for. If the settings are not the version of `If-Match`, 412 `precondition_failed` contains the present `shopSettings`. The security events record the change as `shop_settings_changed`, with `"setting": "shop"`.
   *
   * Requires: the role `admin`, and the permission `system:write`.
   */
  change(body: ChangeShopSettingsRequest, options?: CallOptions<'ifMatch'>): ApiCall<ShopSettings>

  /**
   * Preview the colours of the shop.
   *
   * Returns the colours that pages would derive from a colour of the shop. Texts are as dark or as light as their contrast to the background requires (WCAG 2.2 AA). If the theme has no such colour, the response is 422, as for the change.
   */
  previewShopColors(query: PreviewShopColorsQuery, options?: RequestOptions): ApiCall<ShopColors>

  /**
   * Download the logo of the shop.
   *
   * Returns WebP in sRGB. The response needs no credential and may be cached forever. A logo that the shop no longer has is 404.
   */
  getShopLogo(logoId: string, query?: GetShopLogoQuery | undefined, options?: CallOptions<'ifNoneMatch'>): Promise<Response>
}

export interface AssetsResource {
  /**
   * List the caller's assets.
   *
   * Newest first. The list contains no bytes.
   *
   * Requires: the permission `assets:read`.
   */
  list(query?: ListAssetsQuery | undefined, options?: CallOptions<'customer'>): PagedCall<AssetList>

  /**
   * Upload an image.
   *
   * Takes a form with one file part, the bytes of the file as the body, or JSON with a `url` from which the service fetches the file: without a credential, from public hosts, with at most three redirects, within 60 seconds. A URL that is not allowed is 422 `asset_source_refused`, one that gives no file 422 `asset_source_unavailable`. The limits of size and quota are the same. A repetition with the same `Idempotency-Key` does not fetch the file again. The storage quota must have room for the whole file while the service receives it, even if the account already has the same file; otherwise 413 `storage_quota_exceeded`. A repetition with the same `Idempotency-Key` needs no room. Images may have 100 megapixels. The limit is lower for images that must be decoded as a whole (progressive JPEG, interlaced PNG, WebP, and images that EXIF rotates): decoding may take 640 MiB, which is 83 megapixels of a WebP, of a progressive CMYK JPEG or of an interlaced PNG with 16-bit RGBA. Larger images are 422 `asset_too_large`. A TIFF must have unsigned samples of 8 or 16 bits and at most one extra channel; otherwise 422 `asset_type_unsupported`.
   *
   * Requires: the permission `assets:write`.
   */
  upload(file: FileBody | UploadAssetRequest, options?: CallOptions<'idempotencyKey' | 'customer'> & UploadOptions): ApiCall<Asset>

  /**
   * Read the metadata of an asset.
   *
   * Returns media type, size in pixels and colour space of the image.
   *
   * Requires: the permission `assets:read`.
   */
  get(assetId: string, options?: CallOptions<'customer'>): ApiCall<Asset>

  /**
   * Delete an asset.
   *
   * The response is 409 `asset_in_use` while a finalized design uses the asset. The bytes count in the storage quota for about one more day.
   *
   * Requires: the permission `assets:write`.
   */
  delete(assetId: string, options?: CallOptions<'customer'>): ApiCall<void>

  /**
   * Download an asset.
   *
   * Returns the file as it was uploaded. For customers, an image of the shop is 404; its thumbnail is not. The `ETag` never changes, so a client may keep it. With storage in S3 the response is 302 to a signed URL of the bucket.
   *
   * Requires: the permission `assets:read`.
   */
  getContent(assetId: string, options?: CallOptions<'ifNoneMatch' | 'customer'>): Promise<Response>

  /**
   * Download a thumbnail of an asset.
   *
   * Returns WebP in sRGB, upright, with 400 pixels on its longest side, or with `size`; smaller images keep their size. Editors use the larger sizes instead of the upload, which browsers cannot show in the right colours in every format. Transparent parts stay transparent. The service draws the thumbnail when it is read. Thumbnails do not count in the storage quota.
   *
   * Requires: the permission `assets:read`.
   */
  getThumbnail(assetId: string, query?: GetAssetThumbnailQuery | undefined, options?: CallOptions<'ifNoneMatch' | 'customer'>): Promise<Response>

  /**
   * Create a signed link to an asset or its thumbnail.
   *
   * The link needs no credential, so pages can use it in `<img>`. It ends at `expiresAt`, and when the asset or its account is deleted. The service stores no links, so `Idempotency-Key` has no effect: every request makes a new link.
   *
   * Requires: the permission `assets:read`.
   */
  createLink(assetId: string, body: CreateAssetLinkRequest, options?: CallOptions<'customer'>): ApiCall<Link>
}

export interface LinksResource {
  /**
   * Download an asset by its link.
   *
   * Takes URLs that the service has made, without a credential; otherwise 403 `link_invalid`. At most 1200 requests a minute per IP address count for links, apart from other anonymous requests.
   */
  getAssetContent(assetId: string, query: GetLinkedAssetContentQuery, options?: CallOptions<'ifNoneMatch'>): Promise<Response>

  /**
   * Download the thumbnail of an asset by its link.
   *
   * Takes URLs that the service has made, without a credential; otherwise 403 `link_invalid`. At most 1200 requests a minute per IP address count for links, apart from other anonymous requests.
   */
  getAssetThumbnail(assetId: string, query: GetLinkedAssetThumbnailQuery, options?: CallOptions<'ifNoneMatch'>): Promise<Response>

  /**
   * Render a preview of a design by its link.
   *
   * Takes URLs that the service has made, without a credential; otherwise 403 `link_invalid`. At most 1200 requests a minute per IP address count for links, apart from other anonymous requests. Returns PNG or WebP according to `Accept`, WebP by default.
   */
  getDesignPreview(designId: string, query: GetLinkedDesignPreviewQuery, options?: CallOptions<'accept' | 'ifNoneMatch'>): Promise<Response>

  /**
   * Download a file of a finalized design by its link.
   *
   * Takes URLs that the service has made, without a credential; otherwise 403 `link_invalid`. At most 1200 requests a minute per IP address count for links, apart from other anonymous requests.
   */
  getDesignFile(designId: string, fileId: string, query: GetLinkedDesignFileQuery, options?: CallOptions<'ifNoneMatch'>): Promise<Response>

  /**
   * Download a file of an order item by its link.
   *
   * Takes URLs that the service has made, without a credential; otherwise 403 `link_invalid`. At most 1200 requests a minute per IP address count for links, apart from other anonymous requests.
   */
  getOrderItemFile(orderId: string, itemId: string, fileId: string, query: GetLinkedOrderItemFileQuery, options?: CallOptions<'ifNoneMatch'>): Promise<Response>
}

export interface ColorProfilesResource {
  /**
   * List colour profiles.
   *
   * Operators and administrators can read colour profiles. Only administrators add and delete them.
   *
   * Requires: the role `operator` or `admin`, and the permission `products:read`.
   */
  list(query?: ListColorProfilesQuery | undefined, options?: RequestOptions): PagedCall<ColorProfileList>

  /**
   * Upload a colour profile.
   *
   * Takes a form with one file part, or the bytes of the file as the body: an ICC profile of version 2 or 4 for an output device in RGB, grey or CMYK, at most 4 MiB. Products name it in `outputProfileId` as the printing condition of their print files. If the service already has the same bytes, the status is 200. The security events record new profiles and deletions as `shop_settings_changed`, with `"setting": "color_profile"`.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  upload(file: FileBody, options?: CallOptions<'idempotencyKey'> & UploadOptions): ApiCall<ColorProfile>

  /**
   * Read the metadata of a colour profile.
   *
   * Returns the name in the profile, its colour space and its size.
   *
   * Requires: the role `operator` or `admin`, and the permission `products:read`.
   */
  get(colorProfileId: string, options?: RequestOptions): ApiCall<ColorProfile>

  /**
   * Delete a colour profile.
   *
   * The response is 409 `color_profile_in_use` while a product, active or archived, names the profile.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  delete(colorProfileId: string, options?: RequestOptions): ApiCall<void>
}

export interface FontsResource {
  /**
   * List the fonts that the caller uploaded.
   *
   * Newest first. `GET /fonts` lists the families that a design can use, installed ones included.
   *
   * Requires: the permission `assets:read`.
   */
  listUploaded(query?: ListUploadedFontsQuery | undefined, options?: CallOptions<'customer'>): PagedCall<FontList>

  /**
   * Read the metadata of an uploaded font.
   *
   * Returns family, weight, style and scripts of the stored file.
   *
   * Requires: the permission `assets:read`.
   */
  get(fontId: string, options?: CallOptions<'customer'>): ApiCall<Font>

  /**
   * Delete a font.
   *
   * The response is 409 `font_in_use` while a finalized design uses the font.
   *
   * Requires: the permission `assets:write`.
   */
  delete(fontId: string, options?: CallOptions<'customer'>): ApiCall<void>

  /**
   * Download an uploaded font.
   *
   * Returns the file that layout and rendering use, so that an editor lays out text exactly as it is printed.
   *
   * Requires: the permission `assets:read`.
   */
  getContent(fontId: string, options?: CallOptions<'ifNoneMatch' | 'customer'>): Promise<Response>

  /**
   * List the fonts that designs can use.
   *
   * Public for installed fonts. With a session, or with an API key that may read designs or assets, the families that the caller uploaded come first.
   */
  list(options?: CallOptions<'customer'>): ApiCall<FontFamilyList>

  /**
   * Upload a font.
   *
   * Takes a form with one file part, or the bytes of the file as the body: TTF, OTF, WOFF or WOFF2, at most 16 MiB (30 MiB unpacked). API keys need the permissions for assets. The unpacked font counts in the storage quota. An account can have 200 fonts with 256 MiB unpacked in total. The service stores the default instance of a variable font, because print files embed static fonts; upload a static font for each further weight. It refuses fonts whose licence forbids embedding, subsetting or outlines (`font_embedding_not_allowed`, `font_subsetting_not_allowed`, `font_outline_embedding_not_allowed`), collections and fonts without outlines (`font_type_unsupported`), fonts with contradictory tables (`font_unreadable`), and fonts that make layout too slow (`font_too_complex`).
   *
   * Requires: the permission `assets:write`.
   */
  upload(file: FileBody, options?: CallOptions<'idempotencyKey' | 'customer'> & UploadOptions): ApiCall<Font>

  /**
   * List the files of the installed fonts.
   *
   * For editors that lay out text exactly as it is printed. Families, styles and subsets are in the order in which layout tries their files for a character. A family has a file for each style and subset. `GET /fonts/uploads` lists the files that the caller uploaded.
   */
  listFiles(options: CallOptions<'ifNoneMatch'> & { ifNoneMatch: string }): ApiCall<FontFilesList | undefined>
  /**
   * List the files of the installed fonts.
   *
   * For editors that lay out text exactly as it is printed. Families, styles and subsets are in the order in which layout tries their files for a character. A family has a file for each style and subset. `GET /fonts/uploads` lists the files that the caller uploaded.
   */
  listFiles(options?: CallOptions<'ifNoneMatch'>): ApiCall<FontFilesList>

  /**
   * Download a file of an installed font.
   *
   * Returns the file that layout and rendering use, in WOFF 1.0. Clients may cache it forever. After an upgrade, the files of earlier releases are 404, and the client lists the files again.
   */
  getFile(release: string, file: string, options?: CallOptions<'ifNoneMatch'>): Promise<Response>
}

export interface TemplatesResource {
  /**
   * List templates.
   *
   * Newest first: the active templates of active products. `status=archived` lists the archived templates of all products instead, for administrators.
   */
  list(query?: ListTemplatesQuery | undefined, options?: RequestOptions): PagedCall<TemplateList>

  /**
   * Publish a draft as a template.
   *
   * Copies the document of a draft of the caller. Its images become images of the shop, which designs from the template can use without charge to the storage quota. A draft with uploaded fonts is 422 `template_invalid`. Later changes of the draft do not change the template. API keys also need `designs:read` and `assets:read`. The security events record it as `shop_settings_changed` with `"setting": "template"`.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  create(body: CreateTemplateRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Template>

  /**
   * Read a template.
   *
   * Returns its document with the locks of the layers. An archived template is 404.
   */
  get(templateId: string, options?: RequestOptions): ApiCall<Template>

  /**
   * Change a template.
   *
   * Replaces the members that it names. To change the document, publish another template.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  change(templateId: string, body: ChangeTemplateRequest, options?: RequestOptions): ApiCall<Template>

  /**
   * Download a preview of a template.
   *
   * Returns WebP: one print area as it looks when cut. The response needs no credential.
   */
  preview(templateId: string, query?: PreviewTemplateQuery | undefined, options?: CallOptions<'ifNoneMatch'>): Promise<Response>

  /**
   * Archive a template.
   *
   * The template is no longer shown, and no design can be made from it. Designs that were made from it keep their images and locks. A repetition has no effect.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  archive(templateId: string, options?: RequestOptions): ApiCall<Template>

  /**
   * Restore an archived template.
   *
   * The shop shows the template again, if its product is active. A repetition has no effect.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  restore(templateId: string, options?: RequestOptions): ApiCall<Template>
}

export interface DesignsResource {
  /**
   * Read a design.
   *
   * Returns document, last preflight report and, once finalized, files and price. The `ETag` is the version for `If-Match`.
   *
   * Requires: the permission `designs:read`.
   */
  get(designId: string, options: CallOptions<'ifNoneMatch' | 'customer'> & { ifNoneMatch: string }): ApiCall<Design | undefined>
  /**
   * Read a design.
   *
   * Returns document, last preflight report and, once finalized, files and price. The `ETag` is the version for `If-Match`.
   *
   * Requires: the permission `designs:read`.
   */
  get(designId: string, options?: CallOptions<'ifNoneMatch' | 'customer'>): ApiCall<Design>

  /**
   * Archive a design.
   *
   * The design can still be read, but no longer be changed, finalized or ordered. A repetition has no effect. The event of an archived draft counts towards the storage quota for 30 days. While the design is being finalized, the response is 409 `design_finalizing`.
   *
   * Requires: the permission `designs:write`.
   */
  archive(designId: string, options?: CallOptions<'ifMatch' | 'customer'>): ApiCall<void>

  /**
   * Change a draft.
   *
   * Replaces the members that it names. With `Content-Type: application/json-patch+json`, the body is a JSON Patch (RFC 6902) of `{ name, variantId, document, metadata, externalReference }`: 422 `patch_invalid` if an operation cannot be applied, 409 `patch_test_failed` if a test fails, each with `pointer` `/N` of the operation. The result obeys the rules of a change, and errors of the schema point into the result. A patch that changes nothing leaves the revision as it is. If the change makes the draft smaller, it succeeds even above the storage quota. Fonts of the documents are limited to 16 uploaded families with 64 MiB in total (422 `too_many_fonts`).
   *
   * Requires: the permission `designs:write`.
   */
  change(designId: string, body: ChangeDesignRequest | (JsonPatchAdd | JsonPatchReplace | JsonPatchTest | JsonPatchRemove | JsonPatchMove | JsonPatchCopy)[], options?: CallOptions<'ifMatch' | 'customer'>): ApiCall<Design>

  /**
   * List the caller's designs.
   *
   * Newest first, with whole documents unless `view=summary`. A page ends early if its designs are large.
   *
   * Requires: the permission `designs:read`.
   */
  list(query?: ListDesignsQuery | undefined, options?: CallOptions<'customer'>): PagedCall<DesignList>

  /**
   * Create a design.
   *
   * With `templateId`, the design is a copy of a template of the product, in place of `document`. It may show the images of the template, and the locks of its layers bind every change (422 `layer_locked`). The fonts of a document are limited to 16 uploaded families with 64 MiB in total (422 `too_many_fonts`).
   *
   * Requires: the permission `designs:write`.
   */
  create(body: CreateDesignRequest, options?: CallOptions<'idempotencyKey' | 'customer'>): ApiCall<Design>

  /**
   * Duplicate a design.
   *
   * Creates a draft with the content of the design, whatever its status.
   *
   * Requires: the permission `designs:write`.
   */
  duplicate(designId: string, options?: CallOptions<'idempotencyKey' | 'customer'>): ApiCall<Design>

  /**
   * Run preflight on a design.
   *
   * Checks the design against the current product, images and fonts. Layout of a document may use 2 s of processor time, 96 MiB of uploaded fonts and 640 MiB of memory. Beyond that, this operation, saving, previewing, finalizing and ordering return 422 `text_too_complex`; `errors` names the layer by `pointer` (`/document/...`) and its `fontFamily`.
   *
   * Requires: the permission `designs:read`.
   */
  preflight(designId: string, options?: CallOptions<'customer'>): ApiCall<PreflightReport>

  /**
   * Apply the fixes of preflight to a draft.
   *
   * Checks the draft, applies the fixes of the issues, and checks it again until no fix is left. `appliedFixes` names the issues, with pointers into the document as it was. If there is nothing to fix, the list is empty and the revision stays as it is. Honours `If-Match`.
   *
   * Requires: the permission `designs:write`.
   */
  applyFixes(designId: string, body?: ApplyDesignFixesRequest | undefined, options?: CallOptions<'ifMatch' | 'customer'>): ApiCall<FixedDesign>

  /**
   * Finalize a design.
   *
   * Locks checks, print files and price in one atomic operation, so that the design can be ordered. The operation is idempotent and ignores `Idempotency-Key`: repeating it returns the same finalization. After `validUntil`, a repetition renews price and receipt, but never the files. `If-Match` is compared with the revision alone, so a client that lost the response can repeat the request with the tag of the draft. The body is empty or `{}`. With `Prefer: respond-async`, the response is 202 as soon as the checks have passed; read the design until its `status` is `finalized` or `draft` again. An asynchronous finalization tries three times while the renderer is busy or the storage is unavailable, and for two minutes at most; after that the design is a draft again, although a late job may still finalize it if the design is unchanged and no other finalization is in progress. The response is also 503 `renderer_busy` if 8 renderings of the owner are waiting. If a rendering process crashes twice, the response is 422 `render_failed`. In all these cases the draft is unchanged. If an asynchronous finalization fails after its response, the design states the reason in `lastFinalizationError`, and the service emits `design.finalization_failed`.
   *
   * Requires: the permission `designs:write`.
   */
  finalize(designId: string, options?: CallOptions<'ifMatch' | 'prefer' | 'customer'>): ApiCall<Design>

  /**
   * List the revisions of a design.
   *
   * Newest first, the present revision included. The service keeps the last 100, and fewer if the storage quota of the account is full.
   *
   * Requires: the permission `designs:read`.
   */
  listRevisions(designId: string, query?: ListDesignRevisionsQuery | undefined, options?: CallOptions<'customer'>): PagedCall<DesignRevisionSummaryList>

  /**
   * Read a revision of a design.
   *
   * Returns the content as it was saved. A revision has no preflight report.
   *
   * Requires: the permission `designs:read`.
   */
  getRevision(designId: string, revision: string, options?: CallOptions<'customer'>): ApiCall<DesignRevision>

  /**
   * Restore a revision of a draft.
   *
   * Gives the draft the name, variant, document and metadata of the revision, as a new revision. Preflight reports images and variants that no longer exist. `externalReference` stays. Honours `If-Match`.
   *
   * Requires: the permission `designs:write`.
   */
  restoreRevision(designId: string, revision: string, options?: CallOptions<'ifMatch' | 'customer'>): ApiCall<Design>

  /**
   * Render a preview of one print area.
   *
   * Returns PNG or WebP according to `Accept`, WebP by default. The preview shows the print area as it looks when cut: outside an ellipse it is white. Every print area has a preview, even an empty one.
   *
   * Requires: the permission `designs:read`.
   */
  preview(designId: string, query?: PreviewDesignQuery | undefined, options?: CallOptions<'accept' | 'ifNoneMatch' | 'customer'>): Promise<Response>

  /**
   * Download a print file or preview of a finalized design.
   *
   * `files` of the finalization lists the ids. A file never changes, so a client can cache it. With storage in S3, the response is 302 to a signed URL of the bucket.
   *
   * Requires: the permission `designs:read`.
   */
  getFile(designId: string, fileId: string, options?: CallOptions<'ifNoneMatch' | 'customer'>): Promise<Response>

  /**
   * Read the signed receipt of a finalized design.
   *
   * Returns a compact JWS. `platen verify RECEIPT FILE...` checks the receipt and the files.
   *
   * Requires: the permission `designs:read`.
   */
  getReceipt(designId: string, options?: CallOptions<'customer'>): ApiCall<string>

  /**
   * Create a signed link to a preview or a file of a design.
   *
   * The link needs no credential, so pages can use it in `<img>`. It ends at `expiresAt`, and when the design is archived or its account deleted. `printAreaId` and `width` are only for `preview`. The linked preview of a draft shows its current content. The service stores no links, so `Idempotency-Key` has no effect: every request makes a new link.
   *
   * Requires: the permission `designs:read`.
   */
  createLink(designId: string, body: CreateDesignLinkRequest, options?: CallOptions<'customer'>): ApiCall<Link>
}

export interface SchemasResource {
  /**
   * Read the JSON Schema of design documents.
   *
   * JSON Schema 2020-12, without external references. Rules that a schema cannot express, such as unique ids, are checked when a design is saved.
   */
  getDesignDocument(options: CallOptions<'ifNoneMatch'> & { ifNoneMatch: string }): ApiCall<unknown | undefined>
  /**
   * Read the JSON Schema of design documents.
   *
   * JSON Schema 2020-12, without external references. Rules that a schema cannot express, such as unique ids, are checked when a design is saved.
   */
  getDesignDocument(options?: CallOptions<'ifNoneMatch'>): ApiCall<unknown>
}

export interface ShippingMethodsResource {
  /**
   * List shipping methods with prices.
   *
   * Without `country`, the price of a method is its lowest price for any destination.
   */
  list(query?: ListShippingMethodsQuery | undefined, options?: RequestOptions): PagedCall<ShippingMethodList>

  /**
   * Create a shipping method.
   *
   * Takes effect at once in this process and within two seconds in the others. The security events record it as `shop_settings_changed`. At most 100 methods can exist (409 `too_many_shipping_methods`). The id of a deleted method cannot be used again.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  create(body: CreateShippingMethodRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<ShippingMethodSettings>

  /**
   * Read a shipping method.
   *
   * Returns all prices. Deleted methods can be read too, because orders name them.
   */
  get(methodId: string, options?: RequestOptions): ApiCall<ShippingMethodSettings>

  /**
   * Change a shipping method.
   *
   * Replaces the members that the body names. Existing quotes and orders do not change. Takes effect at once in this process and within two seconds in the others.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  change(methodId: string, body: ChangeShippingMethodRequest, options?: RequestOptions): ApiCall<ShippingMethodSettings>

  /**
   * Delete a shipping method.
   *
   * The method is no longer offered. It can still be read, with `deletedAt`, because orders name it.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  delete(methodId: string, options?: RequestOptions): ApiCall<void>
}

export interface ShippingSettingsResource {
  /**
   * List shipping methods with all their prices.
   *
   * Ordered by `position`, as customers see them.
   *
   * Requires: the role `admin`, and the permission `products:read`.
   */
  list(query?: ListShippingSettingsQuery | undefined, options?: RequestOptions): PagedCall<ShippingMethodSettingsList>
}

export interface TaxSettingsResource {
  /**
   * Read the tax settings.
   *
   * A destination without a rate is not taxed.
   *
   * Requires: the role `admin`, and the permission `products:read`.
   */
  get(options?: RequestOptions): ApiCall<TaxSettings>

  /**
   * Replace the tax settings.
   *
   * Applies to new quotes and orders; existing ones do not change. Takes effect at once in this process and within two seconds in the others. The security events record it as `shop_settings_changed`.
   *
   * Requires: the role `admin`, and the permission `products:write`.
   */
  replace(body: ReplaceTaxSettingsRequest, options?: RequestOptions): ApiCall<TaxSettings>
}

export interface QuotesResource {
  /**
   * Create a quote.
   *
   * Calculates the price of an order. The quote is valid for one order, for 30 minutes or until the first price lock of its designs ends. The service keeps the price to the minor unit even if prices, shipping or taxes change; another shipping method needs another quote. The texts in `items[].data` are checked: 422 `preflight_failed` names each text by `pointer` (`/items/0/data/name`) and its layer by `layer`. Warnings do not refuse a quote. `items[].agreedPrice` is for operators who act for a customer (`Platen-Customer`): shipping and taxes are computed from it, and the security events record it as `price_agreed`. The texts of one request can have 200 000 characters, each layer counting 50 more (422 `items_too_long`).
   *
   * Requires: the permission `orders:write`.
   */
  create(body: CreateQuoteRequest, options?: CallOptions<'idempotencyKey' | 'customer'>): ApiCall<Quote>

  /**
   * Read a quote.
   *
   * Only the owner can read a quote. An expired quote can be read for a week after `expiresAt`, and so can a used one. `POST /orders` refuses both.
   *
   * Requires: the permission `orders:read`.
   */
  get(quoteId: string, options?: CallOptions<'customer'>): ApiCall<Quote>
}

export interface OrdersResource {
  /**
   * Create an order.
   *
   * Orders finalized designs, from a quote or directly. Without a quote the texts in `items[].data` are checked and agreed prices admitted as `POST /quotes` does. An order from a quote has the agreed prices of the quote. The timeline states each reason of an agreed price as `order.price_agreed`. If an item has texts of its own, the service renders print files for it; of the unpaid orders of one account it renders 200 items, and the others once they are paid.
   *
   * Requires: the permission `orders:write`.
   */
  create(body: CreateOrderRequest, options?: CallOptions<'idempotencyKey' | 'customer'>): ApiCall<Order>

  /**
   * List orders.
   *
   * Customers list their own orders, operators the orders of all customers with their print files. Newest first by default. The filters are those of `GET /production/orders`, but the list has orders in all statuses by default.
   *
   * Requires: the permission `orders:read`.
   */
  list(query?: ListOrdersQuery | undefined, options?: CallOptions<'customer'>): PagedCall<OrderList>

  /**
   * Read an order.
   *
   * Operators also see the print files. The `ETag` is the version for `If-Match`, with which actions require that the order has not changed since it was read. No event announces that the print files of an item are ready: poll this operation every few seconds until `personalization.status` changes or `availableActions` contains `start_production`.
   *
   * Requires: the permission `orders:read`.
   */
  get(orderId: string, options?: CallOptions<'customer'>): ApiCall<Order>

  /**
   * Correct the postal address of an order.
   *
   * Possible until the first parcel leaves (409 `order_action_refused`). Replaces the whole `shippingAddress`. The new postal address must be in the country and region of the old one, because shipping and tax stay unchanged; otherwise the response is 422 `address_destination_changed`. Emits `order.address_changed`, which the timeline records. An order on hold stays on hold. Later mails about the order go to the `email` of the new postal address.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:write`.
   */
  change(orderId: string, body: ChangeOrderRequest, options?: CallOptions<'ifMatch'>): ApiCall<Order>

  /**
   * Cancel an order.
   *
   * Possible before production starts. An order on hold must be released first. The captured amount is reserved for a refund in the same transaction; the refund is then made as by `POST /orders/{orderId}/refunds`. Cancelling an order also cancels the print files that are not rendered yet: they fail with `order_cancelled`.
   *
   * Requires: the permission `orders:write`.
   */
  cancel(orderId: string, body?: CancelOrderRequest | undefined, options?: CallOptions<'idempotencyKey' | 'ifMatch' | 'customer'>): ApiCall<Order>

  /**
   * Resolve the hold of an order.
   *
   * The owner sends what `hold.resolution` of the order asks for. `address`: a `shippingAddress`; the order continues. `confirmation`: nothing, or a `message`; the order continues. `answer`: a `message`, a `shippingAddress` or both, once; the shop reads them and releases the order. `none`: nothing can be sent (409 `order_action_refused`). A request that does not match the resolution is 422 `hold_answer_unfit`. The new postal address must be in the country and region of the old one, because shipping and tax stay unchanged; otherwise the response is 422 `address_destination_changed`. The timeline records `order.address_changed`, and `order.released` or `order.hold_answered` with the message as `reason`. An `answer` emits `order.on_hold` again.
   *
   * Requires: the permission `orders:write`.
   */
  resolveHold(orderId: string, body?: ResolveHoldRequest | undefined, options?: CallOptions<'idempotencyKey' | 'customer'>): ApiCall<Order>

  /**
   * Add an internal note to an order.
   *
   * Only operators see notes, in `notes` of the order. Exports, events, webhooks and mails do not contain them. A note increases the `revision` of the order and emits no event. Notes cannot be changed, and only their authors can delete them. Erasing the personal data of the customer deletes them.
   *
   * Requires: the role `operator` or `admin`, and one of the permissions `orders:write`, `payments:write`, `production:write`, or `shipping:write`.
   */
  addNote(orderId: string, body: AddOrderNoteRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<OrderNote>

  /**
   * Delete an own note on an order.
   *
   * Deletes a note that the user of the session, or the owner of the API key, has written. It increases the `revision` of the order and emits no event.
   *
   * Requires: the role `operator` or `admin`, and one of the permissions `orders:write`, `payments:write`, `production:write`, or `shipping:write`.
   */
  deleteNote(orderId: string, noteId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Add or correct the tracking of a shipment.
   *
   * Replaces the members that it names, in any status of the shipment; `null` removes one. `If-Match` is the version of the order. Emits `shipment.updated`, which the timeline records, if something changes. The service sends no further mail.
   *
   * Requires: the role `operator` or `admin`, and the permission `shipping:write`.
   */
  changeShipment(orderId: string, shipmentId: string, body: ChangeShipmentRequest, options?: CallOptions<'ifMatch'>): ApiCall<Shipment>

  /**
   * Download a print file or preview of an order item.
   *
   * For the owner of the order and for operators, such as the `previewUrl` of an item. Until the files of an item with texts of its own are ready, the result is 409 `item_files_not_ready`.
   *
   * Requires: the permission `orders:read`.
   */
  getOwnItemFile(orderId: string, itemId: string, fileId: string, options?: CallOptions<'ifNoneMatch' | 'customer'>): Promise<Response>

  /**
   * Retry failed print files of an order item.
   *
   * The service tries to render the files of an item five times, and then they are `failed`. This operation makes them `pending` and starts five new tries.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  retryItemFiles(orderId: string, itemId: string, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Order>

  /**
   * Create a signed link to a file of an order item.
   *
   * For the owner of the order, and for operators. The link needs no credential. It ends at `expiresAt`, and when the order is erased; a link that the owner made also ends when the account is deleted. Until the files of an item with texts of its own are ready, the result is 409 `item_files_not_ready`. The service stores no links, so `Idempotency-Key` has no effect: every request makes a new link.
   *
   * Requires: the permission `orders:read`.
   */
  createLink(orderId: string, body: CreateOrderLinkRequest, options?: CallOptions<'customer'>): ApiCall<Link>

  /**
   * Pay an order through the payment provider.
   *
   * Only the owner can pay. The service authorizes the amount (payment `authorized`), then captures it. An order with a total of 0 is confirmed without the provider. 402 `payment_declined` has a `reason`: `card_declined`, `insufficient_funds`, `expired_card`, `incorrect_details`, `authentication_failed`, `not_supported`, or `not_accepted` (the provider never takes this payment, for example because the amount is too small). 503 `payment_unavailable` states in `detail` whether nothing was charged or the result is unknown; in both cases repeat the request with the same token, and the service continues the attempt without charging twice. If the customer must act, the response is 200 with the order still `awaiting_payment` and `payment.nextAction`, which only this response contains. With Stripe and without a token, its `type` is `redirect`, and the customer pays at its `redirectUrl`, a page of Stripe. While that page is open, further requests return the same page. For 3-D Secure, `clientSecret` is for `handleNextAction` of Stripe.js. With `processing`, the bank of the customer decides later. After the customer has acted, the service confirms the order when the provider reports the payment, or at once if the client repeats the request with the same token or without one. A request with another token, a cancellation, a recorded payment or one hour without action ends the attempt. An account makes at most 20 attempts an hour that take no money, and all guests of one network at most 600; further ones return 429 `rate_limited`, as does an account that continues attempts more than 60 times in ten minutes. While the provider processes a payment, other payments and cancelling return 409 `payment_in_progress`.
   *
   * Requires: the permission `orders:write`.
   */
  pay(orderId: string, body?: PayOrderRequest | undefined, options?: CallOptions<'idempotencyKey' | 'customer'>): ApiCall<Order>

  /**
   * Record a payment made by other means.
   *
   * Confirms an order that was paid by bank transfer, in cash or on account. An `amount` must equal the total. While a payment of the customer is in progress, the response is 409 `payment_in_progress`.
   *
   * Requires: the role `operator` or `admin`, and the permission `payments:write`.
   */
  recordPayment(orderId: string, body: RecordPaymentRequest, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Order>

  /**
   * Refund a payment in part or in full.
   *
   * The amount is reserved before the provider is called. If the provider does not respond, the response is 201 with a refund of status `pending`, and the service makes the refund once as soon as the provider responds. `payment.refunded`, `refundedAmount` and the status of the payment count only completed refunds. If the provider refuses, the response is 409 `refund_refused` with `failure`; the order lists the refund as `failed`, and the amount can be refunded again. If the order is cancelled in the meantime, or if the refusal arrives later, only `payment.refund_failed` in the timeline reports it. A payment that operators recorded by hand is refunded by hand; the refund is then only a record. If the provider of the payment is not configured, the response is 409 `payment_provider_missing`.
   *
   * Requires: the role `operator` or `admin`, and the permission `payments:write`.
   */
  refund(orderId: string, body?: RefundOrderRequest | undefined, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Refund>

  /**
   * Put an order on hold.
   *
   * `resolution` states how the owner can resolve the hold. The default is `answer`.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  hold(orderId: string, body: HoldOrderRequest, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Order>

  /**
   * Release an order from hold.
   *
   * The order continues in the status in which it was held. The event is `order.confirmed` or `order.in_production` again.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  release(orderId: string, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Order>

  /**
   * Start production of an order.
   *
   * Requires the print files of all items.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  startProduction(orderId: string, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Order>

  /**
   * Ship all or part of an order.
   *
   * Records one parcel that was handed to a carrier. The order is `partially_shipped` until every piece of it has shipped, then `shipped`.
   *
   * Requires: the role `operator` or `admin`, and the permission `shipping:write`.
   */
  ship(orderId: string, body: ShipOrderRequest, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Shipment>

  /**
   * Mark a shipment as delivered.
   *
   * The order becomes `delivered` when everything has shipped, no shipment is under way, and at least one has arrived, even if it came back later.
   *
   * Requires: the role `operator` or `admin`, and the permission `shipping:write`.
   */
  deliverShipment(orderId: string, shipmentId: string, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Shipment>

  /**
   * Mark a shipment as returned.
   *
   * Emits `shipment.returned`. To return the money, refund the order. If every shipment comes back without arriving, the order stays `shipped`.
   *
   * Requires: the role `operator` or `admin`, and the permission `shipping:write`.
   */
  returnShipment(orderId: string, shipmentId: string, body?: ReturnShipmentRequest | undefined, options?: CallOptions<'idempotencyKey' | 'ifMatch'>): ApiCall<Shipment>

  /**
   * List the mails about an order.
   *
   * For operators: the mails that the customer got or will get, with their outcome. A mail appears about a second after its cause.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  listMails(orderId: string, options?: RequestOptions): ApiCall<MailsOfOrder>
}

export interface ProductionResource {
  /**
   * List the production queue.
   *
   * Returns the orders of all customers with their print files, newest first. By default these are the orders that are to be produced or shipped. Names of products and shipping methods are the current ones.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  listOrders(query?: ListProductionOrdersQuery | undefined, options?: RequestOptions): PagedCall<OrderList>

  /**
   * Read figures of orders and payments by day.
   *
   * For charts and a first look at what waits. An order counts on the day on which it was placed, a payment on the day on which it arrived, and a refund on the day on which it succeeded, so the figures of a day that is over do not change. A refund that the bank returned still counts. Cancelled and unpaid orders count as ordered. `failingEndpoints` needs `webhooks:read` as well.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  getOrderStatistics(query?: GetOrderStatisticsQuery | undefined, options?: RequestOptions): ApiCall<OrderStatistics>

  /**
   * Download a print file or preview of an order item.
   *
   * For operators. The owner uses `getOwnOrderItemFile`, which returns the same file.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  getOrderItemFile(orderId: string, itemId: string, fileId: string, options?: CallOptions<'ifNoneMatch'>): Promise<Response>

  /**
   * Draw a page of a print file of an order item.
   *
   * A picture of the page with its bleed, in sRGB, as a PDF reader shows the stored file. Compare it with the preview, which shows the design as it looks when cut. Pages are in the order of the previews. It is drawn by another program than the one that has written the file, which is not a proof: colours on paper depend on the press. Files that are no print files, and pages that do not exist, lead to 404 `file_not_found`.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  drawOrderItemFilePage(orderId: string, itemId: string, fileId: string, page: number, query?: DrawOrderItemFilePageQuery | undefined, options?: RequestOptions): Promise<Response>

  /**
   * Apply one action to up to 200 orders.
   *
   * Needs the permission of the action: `shipping:write` for `ship` and `deliver`, `production:write` for the others. Each order is changed in a transaction of its own, and `results` states the outcome of each: the request succeeds even if every order fails. `failure` is the problem that the single operation would have. An order that is already in the wanted state is `unchanged`, so that a request can be repeated safely, and two operators with the same selection do nothing twice. `ship` sends everything that is left as one parcel; an order that has a parcel with the same `trackingNumber`, or without a number an order that has left, is `unchanged`. `deliver` applies to all parcels of an order that are under way. After a minute the remaining orders fail with `service_unavailable`: repeat the request.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  changeOrdersInBulk(body: ChangeOrdersInBulkRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<BulkResults>

  /**
   * Download the pick list of an order.
   *
   * A PDF in A4: each item with a tick box, its preview, its first ten texts (cut at 120 characters) and the unshipped quantity. The pick list of an unpaid order is refused with 409 `order_action_refused`. The pick list of an order on hold or of a cancelled order states not to work on it. Names of products and shipping methods are the current ones.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  getPickList(orderId: string, options?: RequestOptions): Promise<Response>

  /**
   * Download the pick lists of several orders.
   *
   * One PDF with the pick lists of the first orders that match the filters of the production queue, 50 at most. Unpaid and cancelled orders are skipped. If a pick list cannot be drawn, its page says so. If no order matches, the response is 404.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  getPickLists(query?: GetPickListsQuery | undefined, options?: RequestOptions): Promise<Response>

  /**
   * Download the print files of up to 200 orders.
   *
   * Changes nothing. The response has the print files of all items or is refused: a file that is not ready, has failed, was erased or is damaged leads to 409 `print_files_unavailable`, as do orders that are unpaid, on hold or cancelled, and `errors` names each. In the archive, `PL-7KQ4-M2XD/02-CARD-MATT-x100.pdf` is the second item of an order, of which 100 pieces are to be printed; `manifest.json` lists the files with order, item, quantity and SHA-256. The archive is streamed and has at most 2 GiB. The PDF has every print file once, whatever the quantity, with its pages, boxes, colours, layers and output intent unchanged; what several files contain is stored once. Its document ids, metadata and names of font subsets are its own. Its files must have one printing condition, at most 512 MiB without repetitions, and 5000 pages. If a response ends before its `Content-Length`, it is not complete: repeat the request.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  downloadPrintFiles(body: DownloadPrintFilesRequest, options?: RequestOptions): Promise<Response>

  /**
   * Create a production batch.
   *
   * Groups up to 200 orders that are produced together. An order is in at most one open batch, and must be paid and not complete: otherwise nothing is created, and `errors` names each order at fault and the batch that has it.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  createBatch(body: CreateBatchRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Batch>

  /**
   * List production batches.
   *
   * Newest first. Default: open and closed ones.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  listBatches(query?: ListBatchesQuery | undefined, options?: RequestOptions): PagedCall<BatchSummaryList>

  /**
   * Add orders to a production batch.
   *
   * Adds all orders at the end, or none. Orders that the batch already has stay where they are, so that a request can be repeated.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  addOrdersToBatch(batchId: string, body: AddOrdersToBatchRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Batch>

  /**
   * Remove an order from a production batch.
   *
   * The order itself does not change. Has no effect if the batch does not have the order.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  removeOrderFromBatch(batchId: string, orderId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Close a production batch.
   *
   * The batch keeps its orders, which can then be in another one, and does not change any more. Has no effect on a closed batch.
   *
   * Requires: the role `operator` or `admin`, and the permission `production:write`.
   */
  closeBatch(batchId: string, options?: CallOptions<'idempotencyKey'>): ApiCall<Batch>

  /**
   * Download the pick lists of a production batch.
   *
   * One PDF with the pick lists of up to 50 orders of the batch, in its order; `offset` continues. Unpaid and cancelled orders are skipped. If a pick list cannot be drawn, its page says so. If no order is left, the response is 404 `order_not_found`.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  getBatchPickLists(batchId: string, query?: GetBatchPickListsQuery | undefined, options?: RequestOptions): Promise<Response>

  /**
   * Read a production batch with its orders.
   *
   * Orders that were put on hold or cancelled stay in the batch, with their present status. To start production, ship, hold or release the orders, send their ids and revisions to `POST /production/bulk`; for their print files, send the ids to `POST /production/print-files`.
   *
   * Requires: the role `operator` or `admin`, and the permission `orders:read`.
   */
  getBatch(batchId: string, options?: RequestOptions): ApiCall<Batch>

  /**
   * Ship orders from a CSV file.
   *
   * Takes a CSV file with a header and up to 1000 lines, one for each order that has left in one parcel. Columns: `order` (number or id) and `carrier`, and optionally `tracking number`, `tracking URL` and `shipped at` (`2026-11-28`, `28.11.2026` or a timestamp). Fields are separated by commas, semicolons or tabs, as Excel writes them; the encoding is UTF-8, UTF-16 or Windows-1252. Each order is shipped in a transaction of its own, with all that is left. Faulty lines are reported with the column and the reason, and do not affect the others. A line whose parcel has been recorded before is `unchanged`, so that the same file ships nothing twice. Values that begin like a formula are refused, because they would run where a spreadsheet opens an export of them. After a minute the remaining lines fail with `service_unavailable`: send the file again. To see the progress of a large file, send it several times, each time with `firstLine` and `lastLine` of another part.
   *
   * Requires: the role `operator` or `admin`, and the permission `shipping:write`.
   */
  importShipments(file: FileBody, options?: CallOptions<'idempotencyKey'> & UploadOptions & { query?: ImportShipmentsQuery }): ApiCall<ShipmentImport>
}

export interface DevResource {
  /**
   * Simulate the next step of the shop for a test order.
   *
   * Only where all orders are tests: with the embedded database and `PLATEN_PAYMENT_PROVIDER=test`, outside production; elsewhere 404. Runs the actions of operators, so statuses, timeline, events and webhooks are real. Without `step`, the usual next one. A step that is not possible is 409 `order_action_refused`.
   *
   * Requires: the permission `orders:write`.
   */
  advanceTestOrder(orderId: string, body?: AdvanceTestOrderRequest | undefined, options?: CallOptions<'idempotencyKey'>): ApiCall<Order>
}

export interface MailPreviewsResource {
  /**
   * List the mails to customers.
   *
   * For administrators: the mails about orders, in the order of their causes, with the languages of the shop.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  list(options?: RequestOptions): ApiCall<MailKindList>

  /**
   * Preview a mail to customers.
   *
   * For administrators. Renders the mail as the service sends it, with its templates, the look of the shop, and the data of an example.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  previewMail(kind: string, query: PreviewMailQuery, options?: RequestOptions): ApiCall<MailPreview>

  /**
   * Preview a mail to customers with another text.
   *
   * Changes nothing. Renders the mail as `GET /mail-previews/{kind}` does, with a subject and a body that are not saved. They have the rules of `PUT /mail-texts/{kind}/{language}`.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  previewMailText(kind: string, body: PreviewMailTextRequest, options?: RequestOptions): ApiCall<MailPreview>

  /**
   * Send a test mail to the caller.
   *
   * Sends the preview of a mail to the email address of the account of the caller, at most 20 an hour. Its subject begins with `[Test]`. With `text`, the mail has a subject and a body that are not saved.
   *
   * Requires: the role `admin`, and the permission `system:write`.
   */
  sendTestMail(kind: string, body: SendTestMailRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<TestMailSent>
}

export interface MailTextsResource {
  /**
   * Read the text of a mail to customers.
   *
   * For administrators: subject and body in one language, with the placeholders that they can contain. The `ETag` is the version for `If-Match`.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  get(kind: string, language: "en" | "de", options?: RequestOptions): ApiCall<MailText>

  /**
   * Replace the text of a mail to customers.
   *
   * Applies to all mails of the kind in the language that are sent from now on; heading, button and everything below the text stay. A placeholder such as `{{number}}` is replaced by its value, and one of a sentence by nothing if the sentence does not apply. The text is plain: HTML and the tags of templates are shown as they are written. If it is not the version of `If-Match`, 412 `precondition_failed` contains the present `mailText`. The security events record the change as `shop_settings_changed`, with `"setting": "mail_text"`.
   *
   * Requires: the role `admin`, and the permission `system:write`.
   */
  replace(kind: string, language: "en" | "de", body: ReplaceMailTextRequest, options?: CallOptions<'ifMatch'>): ApiCall<MailText>

  /**
   * Reset the text of a mail to customers.
   *
   * Lets the text of the service apply again, and returns it.
   *
   * Requires: the role `admin`, and the permission `system:write`.
   */
  reset(kind: string, language: "en" | "de", options?: CallOptions<'ifMatch'>): ApiCall<MailText>
}

export interface EventsResource {
  /**
   * List events.
   *
   * Oldest first, or newest first with `order=desc`. Customers see their own events, operators all events, except that the staff roles without `designs:read` see none of designs. Pages are read as in other lists: send `nextCursor` as `cursor` until it is null. To continue later, send `after` with the id of the last event that you have read: no event is skipped. Events are retained for 30 days; an older id in `after` causes 400 `event_expired` with `oldestEventId`.
   *
   * Requires: the permission `events:read`.
   */
  list(query?: ListEventsQuery | undefined, options?: RequestOptions): PagedCall<EventList>

  /**
   * Get an event.
   *
   * Customers see their own events, operators all events, except that the staff roles without `designs:read` see none of designs. Events are retained for 30 days.
   *
   * Requires: the permission `events:read`.
   */
  get(eventId: string, options?: RequestOptions): ApiCall<Event>

  /**
   * Create a ticket for an event stream.
   *
   * A ticket opens `GET /events/stream?ticket=` once within 60 seconds, without an `Authorization` header. It stands for the session or API key of the request; guests and customer tokens get 403 `session_required`, and open the stream with `Authorization`. `EventSource` reconnects with the same URL, so open the stream again with a new ticket and `after` when it ends. `Idempotency-Key` has no effect: every request makes a new ticket.
   *
   * Requires: the permission `events:read`.
   */
  createStreamTicket(options?: RequestOptions): ApiCall<EventStreamTicket>

  /**
   * Stream events.
   *
   * Server-sent events of the HTML standard: `id` is the id of an event, `event` its type, `data` the event as JSON, in the order of `GET /events`. The stream starts after `Last-Event-ID`, which `EventSource` sends by itself, or after `?after=`; without both it starts with the next event, and a first frame without data states the id of the event before, if there is one. Reconnecting with the last id neither repeats nor skips events. Browsers, whose `EventSource` sends no header, open the stream with a ticket of `POST /events/tickets`; a used, expired or malformed one is 401 `invalid_ticket`. The stream ends with the access token (with a ticket: with the session or API key that made it), within a second of a revocation or a change of role, when the service stops, and when the client has read nothing for 30 seconds. A comment every 15 seconds keeps the connection open. By default an account may have 10 streams, all customers without a paid order of one network together 100 (429 `too_many_event_streams`), and a process 2 000 (503 `event_streams_full`).
   *
   * Requires: the permission `events:read`.
   */
  stream: StreamEvents
}

export interface WebhookEndpointsResource {
  /**
   * List the caller's webhook endpoints.
   *
   * Newest first, without secrets.
   *
   * Requires: the permission `webhooks:read`.
   */
  list(query?: ListWebhookEndpointsQuery | undefined, options?: RequestOptions): PagedCall<WebhookEndpointList>

  /**
   * Create a webhook endpoint.
   *
   * The service posts the events that are committed from now on to `url`: the events of the caller, or all events if the caller is an operator. It checks whether the owner may see an event when the event happens, and again before sending it. Requests are signed according to Standard Webhooks 1.0. Each event is delivered at least once, in order per subject. An API key needs `events:read` as well. The endpoint belongs to the account and stays when the API key is revoked. An account can have 20 endpoints (409 `too_many_webhook_endpoints`). A host name that does not resolve yet is accepted. A URL that leads to a non-public IP address is rejected, unless `PLATEN_WEBHOOK_ALLOWED_NETWORKS` contains the address.
   *
   * Requires: the permissions `webhooks:write` and `events:read`.
   */
  create(body: CreateWebhookEndpointRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<NewWebhookEndpoint>

  /**
   * Read a webhook endpoint.
   *
   * Returns URL, event types and status of the endpoint, without its secret.
   *
   * Requires: the permission `webhooks:read`.
   */
  get(endpointId: string, options?: RequestOptions): ApiCall<WebhookEndpoint>

  /**
   * Change a webhook endpoint.
   *
   * Can also enable or disable the endpoint. If the endpoint is enabled again or gets another `url`, its pending deliveries are sent at once, before new ones. Failures at the old `url` do not count against a new one. Events that happened while the endpoint was disabled need a replay. An API key needs `events:read` as well, because this operation decides where events go.
   *
   * Requires: the permissions `webhooks:write` and `events:read`.
   */
  update(endpointId: string, body: UpdateWebhookEndpointRequest, options?: RequestOptions): ApiCall<WebhookEndpoint>

  /**
   * Delete a webhook endpoint.
   *
   * Also deletes the deliveries of the endpoint.
   *
   * Requires: the permission `webhooks:write`.
   */
  delete(endpointId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * During the overlap, requests carry two signatures: one with the new secret and one with the old; `previousSecretEndsAt` of the endpoint states its end. A secret from before the old one is not used any more. Rotating also repairs an endpoint whose deliveries fail with `secret_unreadable`.
   *
   * Requires: the permission `webhooks:write`.
   */
  rotateSecret(endpointId: string, body?: RotateWebhookSecretRequest | undefined, options?: CallOptions<'idempotencyKey'>): ApiCall<RotateWebhookSecretResponse>

  /**
   * List the deliveries of a webhook endpoint.
   *
   * Deliveries of the last 30 days with the latest three responses of the endpoint. An endpoint of a customer retains the latest 1,000 delivered and the latest 1,000 failed deliveries, or 100 each until an order of the customer is in production. Bodies over 16 KiB are only in `GET .../deliveries/{deliveryId}`. An API key without `events:read` sees neither request bodies nor responses. For an endpoint that is far behind, only its next deliveries are listed.
   *
   * Requires: the permission `webhooks:read`.
   */
  listDeliveries(endpointId: string, query?: ListWebhookDeliveriesQuery | undefined, options?: RequestOptions): PagedCall<WebhookDeliveryList>

  /**
   * Read a webhook delivery.
   *
   * Includes the whole request body. Up to 1 KiB of the body and 2 KiB of the headers of each response are retained. Responses are omitted if the event was erased, is no longer retained, or may no longer be seen by the owner.
   *
   * Requires: the permission `webhooks:read`.
   */
  getDelivery(endpointId: string, deliveryId: string, options?: RequestOptions): ApiCall<WebhookDelivery>

  /**
   * Retry a webhook delivery.
   *
   * Possible in any status of the delivery. Older pending deliveries of the same subject are sent first. If the delivery was delivered or failed, its retry schedule starts again. Returns 403 `webhook_event_not_permitted` if the owner may no longer see the event, 409 `webhook_endpoint_disabled` if the endpoint is disabled. An API key needs `events:read` as well.
   *
   * Requires: the permissions `webhooks:write` and `events:read`.
   */
  retryDelivery(endpointId: string, deliveryId: string, options?: CallOptions<'idempotencyKey'>): ApiCall<WebhookDelivery>

  /**
   * Replay events of a time range.
   *
   * Delivers the retained events (30 days) of the types of the endpoint whose `createdAt` is in the range, including both ends. A range with more than 10 000 events is rejected with 422 `replay_too_large`. Returns 409 `webhook_endpoint_disabled` if the endpoint is disabled, and 409 `too_many_pending_deliveries` if it has 10 000 pending deliveries. For a customer, the pending deliveries of all endpoints count together. An account can replay 60 times an hour, an operator or administrator 600 times, with replays that are too large (429 `rate_limited`). An API key needs `events:read` as well.
   *
   * Requires: the permissions `webhooks:write` and `events:read`.
   */
  replayEvents(endpointId: string, body: ReplayWebhookEventsRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<ReplayWebhookEventsResponse>

  /**
   * Send a test event to a webhook endpoint.
   *
   * The event has the type `webhook.test`. It is sent at once and only once, and `GET /events` does not list it. Returns 409 `webhook_endpoint_disabled` or 409 `too_many_pending_deliveries` in the same cases as a replay. An account can send 60 test events an hour, an operator or administrator 600 (429 `rate_limited`).
   *
   * Requires: the permission `webhooks:write`.
   */
  test(endpointId: string, options?: CallOptions<'idempotencyKey'>): ApiCall<WebhookDelivery>
}

export interface SystemResource {
  /**
   * Get the state of the service.
   *
   * For administrators: which parts work, how many jobs, webhook deliveries and mails wait, and the result of the last verification of the security events.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  getStatus(options?: RequestOptions): ApiCall<SystemStatus>

  /**
   * Read what the environment sets.
   *
   * For administrators: payments, URLs and origins, without secrets, and what is probably wrong.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  getConfiguration(options?: RequestOptions): ApiCall<SystemConfiguration>

  /**
   * List background jobs.
   *
   * For administrators. Newest first. Jobs that are done are not stored. The content of a job is not shown, because it may contain personal data.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  listJobs(query?: ListJobsQuery | undefined, options?: RequestOptions): PagedCall<JobList>

  /**
   * Retry a background job.
   *
   * The job runs as soon as a runner is free. A job whose attempts are used up gets one more. A job that is running or due stays unchanged. The security events record it as `job_retried`.
   *
   * Requires: the role `admin`, and the permission `system:write`.
   */
  retryJob(jobId: string, options?: CallOptions<'idempotencyKey'>): ApiCall<Job>

  /**
   * Verify the security events.
   *
   * A job recomputes the seals of all security events, as it does every day. `GET /system/status` shows the result. While a verification is pending, further requests change nothing.
   *
   * Requires: the role `admin`, and the permission `system:write`.
   */
  verifyAuditLog(options?: CallOptions<'idempotencyKey'>): ApiCall<AuditLogVerification>

  /**
   * List requests.
   *
   * For operators. Newest first: API requests of the last 7 days, without values of queries, headers and bodies. A request appears about a second after its response. Event streams are not listed. On days with very many requests some are missing, which the metric `platen_request_log_dropped_total` counts.
   *
   * Requires: the role `operator` or `admin`, and the permission `webhooks:read`.
   */
  listRequestLog(query?: ListRequestLogQuery | undefined, options?: RequestOptions): PagedCall<RequestLogEntryList>

  /**
   * Get a request.
   *
   * For operators. Finds a request by the id in `X-Request-Id` of its response and in `requestId` of problems.
   *
   * Requires: the role `operator` or `admin`, and the permission `webhooks:read`.
   */
  getRequestLogEntry(requestId: string, options?: RequestOptions): ApiCall<RequestLogEntry>
}

export interface AuthResource {
  /**
   * Register an account.
   *
   * If the email address has an account, the response is the same, and its owner gets a mail.
   */
  register(body: RegisterRequest, options?: RequestOptions): ApiCall<RegisterResponse>

  /**
   * Verify an email address.
   *
   * Takes the token from the mail. The account can sign in from now on; no session is opened.
   */
  verifyEmail(body: VerifyEmailRequest, options?: RequestOptions): ApiCall<VerifyEmailResponse>

  /**
   * Resend the verification mail.
   *
   * The response does not reveal whether an account awaits verification.
   */
  resendVerification(body: ResendVerificationRequest, options?: RequestOptions): ApiCall<ResendVerificationResponse>

  /**
   * Request a change of the email address.
   *
   * The current email address stays valid until the user opens the link in the mail to the new one. The response does not reveal whether the new email address has an account.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  changeEmail(body: ChangeEmailRequest, options?: RequestOptions): ApiCall<ChangeEmailResponse>

  /**
   * Confirm a new email address.
   *
   * Takes the token from the mail. Opens no session, and ends the sessions of the account except the one that requested the change.
   */
  confirmEmail(body: ConfirmEmailRequest, options?: RequestOptions): ApiCall<ConfirmEmailResponse>

  /**
   * Sign in with email address and password.
   *
   * Returns tokens, or `mfa_required` with a challenge if the account has a second factor. Unknown email address and wrong password have the same response, 401 `invalid_credentials`. An account whose email address is not verified gets its mail again.
   */
  login(body: LoginRequest, options?: RequestOptions): ApiCall<SignInResult>

  /**
   * Get a new access token.
   *
   * Replaces the refresh token. The request can be repeated for 10 seconds: the same token then gives the same new token. Later use of a replaced token ends the session, because the token may have been copied. With `session=cookie`, the cookie contains the refresh token, and the body is left out.
   */
  refresh(body: RefreshRequest, options?: RequestOptions): ApiCall<TokenPair>

  /**
   * Send a code or get the options of a passkey, for a sign-in.
   *
   * For a sign-in with the response `mfa_required`.
   */
  challengeSecondFactor(body: ChallengeSecondFactorRequest, options?: RequestOptions): ApiCall<ChallengeSecondFactorResponse>

  /**
   * Complete a sign-in with the second factor.
   *
   * A code works once. A recovery code also works once, and replaces any factor.
   */
  verifySecondFactor(body: VerifySecondFactorRequest, options?: RequestOptions): ApiCall<SignInResult>

  /**
   * Authenticate again before a sensitive operation.
   *
   * With the second factor of the account; without one, with the password. Accounts without either use `POST /api/auth/identities/{provider}/step-up`.
   *
   * Requires: a session; API keys are not accepted.
   */
  stepUp(body: StepUpRequest, options?: RequestOptions): ApiCall<SteppedUpToken>

  /**
   * Send a code or get the options of a passkey, for a step-up.
   *
   * Call it before `POST /api/auth/step-up` with a text message or a passkey. Other methods need no challenge.
   *
   * Requires: a session; API keys are not accepted.
   */
  challengeStepUp(body: ChallengeStepUpRequest, options?: RequestOptions): ApiCall<ChallengeStepUpResponse>

  /**
   * Start to add a second factor.
   *
   * The factor becomes active when `POST /api/auth/mfa/confirm` receives its first code, within ten minutes. For `sms` this operation sends the code; confirming another number replaces the current one.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  enableFactor(body?: EnableFactorRequest | undefined, options?: RequestOptions): ApiCall<PendingFactor>

  /**
   * Confirm a second factor with its first code.
   *
   * From then on, sign-in requires a second factor. Ends the other sessions. With the first factor of an account, the response contains recovery codes.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  confirmFactor(body: ConfirmFactorRequest, options?: RequestOptions): ApiCall<ConfirmFactorResponse>

  /**
   * Read the second factors of the account.
   *
   * `GET /api/auth/webauthn/credentials` lists passkeys.
   *
   * Requires: a session; API keys are not accepted.
   */
  getMfa(options?: RequestOptions): ApiCall<GetMfaResponse>

  /**
   * Remove a second factor.
   *
   * Ends the other sessions. Removing the last factor also removes the recovery codes.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  removeFactor(factorId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Renew the recovery codes.
   *
   * The old codes stop working, and the other sessions end.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  renewRecoveryCodes(options?: RequestOptions): ApiCall<RenewRecoveryCodesResponse>

  /**
   * End the present session.
   *
   * Can be repeated with the same token. Clears the cookie of a browser session.
   *
   * Requires: a session; API keys are not accepted.
   */
  logout(options?: RequestOptions): ApiCall<void>

  /**
   * List the caller's sessions.
   *
   * Lists the devices that are signed in, newest first. `current` marks the session of this request.
   *
   * Requires: a session; API keys are not accepted.
   */
  listSessions(query?: ListSessionsQuery | undefined, options?: RequestOptions): PagedCall<SessionList>

  /**
   * End a session.
   *
   * The access tokens of that session stop working at once.
   *
   * Requires: a session; API keys are not accepted.
   */
  revokeSession(sessionId: string, options?: RequestOptions): ApiCall<void>

  /**
   * End all sessions except the current one.
   *
   * The access tokens of the ended sessions stop working at once. Sign-ins that wait for a second factor end, too.
   *
   * Requires: a session; API keys are not accepted.
   */
  revokeOtherSessions(options?: RequestOptions): ApiCall<void>

  /**
   * Request a mail to set a new password.
   *
   * The response does not reveal whether the email address has an account.
   */
  forgotPassword(body: ForgotPasswordRequest, options?: RequestOptions): ApiCall<ForgotPasswordResponse>

  /**
   * Set a new password with the token from the mail.
   *
   * Opens no session, and ends every session of the account. With the cookie of the response, the next sign-in does not wait for blocks that other clients cause.
   */
  resetPassword(body: ResetPasswordRequest, options?: RequestOptions): ApiCall<void>

  /**
   * Change the password.
   *
   * Ends the other sessions.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  changePassword(body: ChangePasswordRequest, options?: RequestOptions): ApiCall<void>

  /**
   * Get the options for a new passkey.
   *
   * The options work once, for five minutes, in this session.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  offerPasskey(options?: RequestOptions): ApiCall<PasskeyCreation>

  /**
   * Add a passkey.
   *
   * From then on, sign-in with a password requires a second factor. Ends the other sessions.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  addPasskey(body: AddPasskeyRequest, options?: RequestOptions): ApiCall<AddPasskeyResponse>

  /**
   * List the caller's passkeys.
   *
   * Returns names and times of use, no key material.
   *
   * Requires: a session; API keys are not accepted.
   */
  listPasskeys(query?: ListPasskeysQuery | undefined, options?: RequestOptions): PagedCall<PasskeyList>

  /**
   * Rename a passkey.
   *
   * The name is for the list of passkeys. Authenticators do not show it.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  renamePasskey(credentialId: string, body: RenamePasskeyRequest, options?: RequestOptions): ApiCall<Passkey>

  /**
   * Remove a passkey.
   *
   * Ends the other sessions. The last sign-in method of an account cannot be removed.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  removePasskey(credentialId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Get the options for a passkey sign-in.
   *
   * The options are the same for all accounts: the authenticator identifies the account. They work once, for five minutes.
   */
  offerPasskeySignIn(options?: RequestOptions): ApiCall<PasskeyRequest>

  /**
   * Sign in with a passkey.
   *
   * A passkey verifies the user, so no second factor is required.
   */
  signInWithPasskey(body: SignInWithPasskeyRequest, options?: RequestOptions): ApiCall<SignInResult>

  /**
   * Sign in with Google.
   *
   * For a browser: redirects to Google, which redirects to the callback.
   */
  signInWithGoogle(query?: SignInWithGoogleQuery): string

  /**
   * Complete a sign-in with Google.
   *
   * If the sign-in started with a `redirectUri`, redirects there with a one-time `code` for `POST /api/auth/token`, or with the code of a problem as `error`. Otherwise returns the tokens or the problem.
   */
  finishGoogle(query?: FinishGoogleQuery | undefined, options?: RequestOptions): ApiCall<ProviderCallbackResult>

  /**
   * Sign in with GitHub.
   *
   * For a browser: redirects to GitHub, which redirects to the callback.
   */
  signInWithGitHub(query?: SignInWithGitHubQuery): string

  /**
   * Complete a sign-in with GitHub.
   *
   * If the sign-in started with a `redirectUri`, redirects there with a one-time `code` for `POST /api/auth/token`, or with the code of a problem as `error`. Otherwise returns the tokens or the problem.
   */
  finishGitHub(query?: FinishGitHubQuery | undefined, options?: RequestOptions): ApiCall<ProviderCallbackResult>

  /**
   * Redeem the authorization code of a provider sign-in.
   *
   * A code can be redeemed once, within 60 seconds.
   */
  redeemCode(body: RedeemCodeRequest, options?: RequestOptions): ApiCall<SignInResult>

  /**
   * List the linked providers.
   *
   * Returns the accounts at providers, such as Google, with which the caller can sign in.
   *
   * Requires: a session; API keys are not accepted.
   */
  listIdentities(options?: RequestOptions): PagedCall<IdentityList>

  /**
   * Link a provider to the account.
   *
   * Open `authorizationUrl` in the same browser: the callback accepts only the browser with the cookie of this response. After the callback, all other sessions end and the owner gets a mail.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  linkIdentity(provider: string, body?: LinkIdentityRequest | undefined, options?: RequestOptions): ApiCall<ProviderAuthorization>

  /**
   * Authenticate again at a linked provider.
   *
   * For accounts without a second factor. The callback returns `{ "status": "stepped_up" }`. After that, `POST /api/auth/refresh` returns an access token with the step-up.
   *
   * Requires: a session; API keys are not accepted.
   */
  stepUpWithIdentity(provider: string, body?: StepUpWithIdentityRequest | undefined, options?: RequestOptions): ApiCall<ProviderAuthorization>

  /**
   * Unlink a provider from the account.
   *
   * All other sessions end and the owner gets a mail. The last sign-in method of an account cannot be removed: 409 `last_way_in`.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  unlinkIdentity(provider: string, options?: RequestOptions): ApiCall<void>

  /**
   * Start as a guest.
   *
   * For visitors without an account. A guest has designs, assets, fonts, quotes, and orders whose `shippingAddress` has an `email`: up to 20 designs (403 `guest_limit_reached`) and 50 MiB (413 `storage_quota_exceeded`; 500 MiB for all guests of an IP address together, 2 GiB for those of its network). After 30 days without use, the guest is erased. `POST /api/auth/guest/claim` moves its work to an account. Mails about its orders are in the language that `Accept-Language` prefers. At most 30 requests a minute per IP address, and 300 a minute and 6,000 a day per network (IPv4 /24, IPv6 /48).
   */
  createGuest(options?: RequestOptions): ApiCall<TokenPair>

  /**
   * Move the work of a guest to the account of the caller.
   *
   * Moves designs, assets, fonts, quotes and orders, and ends the tokens of the guest. Archived designs and the oldest records of many are moved last. If that fails, a job moves them within minutes. The counts of the response include them. An asset that the account already has becomes one with it. If the account had more than its storage quota afterwards, nothing is moved (413 `storage_quota_exceeded`). An account makes at most 60 claims an hour.
   *
   * Requires: a session; API keys are not accepted.
   */
  claimGuest(body: ClaimGuestRequest, options?: RequestOptions): ApiCall<GuestClaim>

  /**
   * Read the invitation of a mailed token.
   *
   * Does not use the token.
   */
  readInvitation(body: ReadInvitationRequest, options?: RequestOptions): ApiCall<InvitationOffer>

  /**
   * Accept an invitation with a new account.
   *
   * Creates the account with a verified email address and the role of the invitation; no session is opened. If the email address has an account, its owner signs in and calls `POST /api/auth/invitations/claim`.
   */
  acceptInvitation(body: AcceptInvitationRequest, options?: RequestOptions): ApiCall<AcceptInvitationResponse>

  /**
   * Accept an invitation with the account of the caller.
   *
   * Gives the account the role of the invitation. An account that may already do more keeps what it has.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  claimInvitation(body: ClaimInvitationRequest, options?: RequestOptions): ApiCall<OwnUser>

  /**
   * Stop the removal of the own second factors.
   *
   * Takes the token from the mail that announces the removal.
   */
  stopOwnFactorReset(body: StopOwnFactorResetRequest, options?: RequestOptions): ApiCall<StopOwnFactorResetResponse>
}

export interface ApiKeysResource {
  /**
   * Create an API key.
   *
   * The API key acts as the caller, within its permissions and never beyond the role of the caller. Only this response contains the key.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  create(body: CreateApiKeyRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<NewApiKey>

  /**
   * List the caller's API keys.
   *
   * Newest first, without secrets and without revoked keys.
   *
   * Requires: a session; API keys are not accepted.
   */
  list(query?: ListApiKeysQuery | undefined, options?: RequestOptions): PagedCall<ApiKeyList>

  /**
   * Replace the secret of an API key.
   *
   * The response contains the new secret, which is not shown again. Id, name and permissions stay. The current secret works until `overlapSeconds` have passed. At most two secrets of a key work at a time.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  rotate(keyId: string, body: RotateApiKeyRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<NewApiKey>

  /**
   * Revoke an API key.
   *
   * The key stops working at once on every node, and the owner gets a mail.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  revoke(keyId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Read an API key.
   *
   * Returns name, permissions and last use of the key, without its secret.
   *
   * Requires: a session; API keys are not accepted.
   */
  get(keyId: string, options?: RequestOptions): ApiCall<ApiKey>
}

export interface MeResource {
  /**
   * Read the account of the caller.
   *
   * Returns email address, name and role. Needs a session; API keys have no access.
   *
   * Requires: a session; API keys are not accepted.
   */
  get(options?: RequestOptions): ApiCall<OwnUser>

  /**
   * Change the name or the language of the caller.
   *
   * `null` removes a member. A new email address needs `POST /api/auth/email/change`.
   *
   * Requires: a session; API keys are not accepted.
   */
  update(body: UpdateMeRequest, options?: RequestOptions): ApiCall<OwnUser>

  /**
   * Delete the account.
   *
   * Ends all sessions at once. Removes designs and images from the account; their files may stay in the storage for about a day. Cancels orders that await payment. Other orders stay, without the postal address once they have ended. The response waits for the erasure for 5 seconds at most. If there is more to erase, a job does so within minutes.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  delete(options?: RequestOptions): ApiCall<void>

  /**
   * Read the storage use of the account.
   *
   * Print files and finalized designs do not count. Above `quota`, the service rejects uploads and saves that need more storage with status 413.
   *
   * Requires: a session; API keys are not accepted.
   */
  getStorage(options?: RequestOptions): ApiCall<StorageUsage>

  /**
   * Export the data of the account.
   *
   * Streams one JSON file with all data of the account except secrets and the bytes of files. An account can export ten times an hour, one export at a time. Each export is a security event.
   *
   * Requires: a session with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  export(options?: RequestOptions): ApiCall<AccountExport>

  /**
   * List the security events of the account.
   *
   * Newest first: sign-ins, changes of credentials, exports, and acts of administrators on this account.
   *
   * Requires: a session; API keys are not accepted.
   */
  listSecurityEvents(query?: ListMySecurityEventsQuery | undefined, options?: RequestOptions): PagedCall<OwnSecurityEventList>
}

export interface UsersResource {
  /**
   * Search users.
   *
   * For administrators. Accounts, newest first. All filters must match. Customers without an account are in `GET /customers`.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  list(query?: ListUsersQuery | undefined, options?: RequestOptions): PagedCall<ManagedUserList>

  /**
   * Read a user.
   *
   * For administrators.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  get(userId: string, options?: RequestOptions): ApiCall<ManagedUser>

  /**
   * Change a user.
   *
   * Changes the role or the staff role of a user, or disables or enables the user. The change applies to all sessions and API keys of the user within a second. Disabling ends the sessions; API keys stop working until the user is enabled.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  update(userId: string, body: UpdateUserRequest, options?: RequestOptions): ApiCall<ManagedUser>

  /**
   * List the sessions of a user.
   *
   * The devices that are signed in, newest first. `current` marks the session of this request.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  listSessions(userId: string, query?: ListUserSessionsQuery | undefined, options?: RequestOptions): PagedCall<SessionList>

  /**
   * End all sessions of a user.
   *
   * The access tokens stop working at once. The user gets a mail. API keys stay.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  revokeSessions(userId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Request the removal of the second factors of a user.
   *
   * For a user who has lost all second factors. Another administrator confirms the request, or it is completed after 24 hours. The user gets a mail with a link that stops it, and the other administrators are asked to confirm. Then all factors, passkeys and recovery codes are removed and all sessions end; the password stays.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  startFactorReset(userId: string, options?: CallOptions<'idempotencyKey'>): ApiCall<FactorReset>
}

export interface StorageResource {
  /**
   * Read the storage use of the shop.
   *
   * For administrators.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  get(options?: RequestOptions): ApiCall<StorageTotals>

  /**
   * List the storage use of accounts.
   *
   * For administrators. Accounts, customers without a sign-in and guests that have stored something, those that store the most first. An account whose use changes between two pages may be on both or on neither.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  listAccounts(query?: ListStorageAccountsQuery | undefined, options?: RequestOptions): PagedCall<StorageAccountList>

  /**
   * Read the storage use of an account.
   *
   * For administrators.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  getAccount(accountId: string, options?: RequestOptions): ApiCall<StorageAccount>

  /**
   * Set the storage quota of an account.
   *
   * For administrators. The quota applies to the next upload or save, and also limits what the account adds within 24 hours without paying. An account that stores more than its new quota keeps what it has. The security events record it as `storage_quota_changed`.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  updateAccount(accountId: string, body: UpdateStorageAccountRequest, options?: RequestOptions): ApiCall<StorageAccount>
}

export interface InvitationsResource {
  /**
   * Invite a person.
   *
   * The person gets a mail with a link that is valid for 7 days and one use, in the language `locale` (`en` or `de`, else `en`). An open invitation to the same email address ends. Mails to one email address are limited (429).
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  create(body: CreateInvitationRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Invitation>

  /**
   * List invitations.
   *
   * Newest first. Invitations that ended more than 30 days ago are deleted.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  list(query?: ListInvitationsQuery | undefined, options?: RequestOptions): PagedCall<InvitationList>

  /**
   * Read an invitation.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  get(invitationId: string, options?: RequestOptions): ApiCall<Invitation>

  /**
   * Revoke an invitation.
   *
   * The link in the mail stops working. An invitation that was accepted or revoked is 404.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  revoke(invitationId: string, options?: RequestOptions): ApiCall<void>
}

export interface FactorResetsResource {
  /**
   * List requests to remove second factors.
   *
   * Newest first.
   *
   * Requires: the role `admin`, and the permission `users:read`.
   */
  list(query?: ListFactorResetsQuery | undefined, options?: RequestOptions): PagedCall<FactorResetList>

  /**
   * Confirm the removal of second factors.
   *
   * For an administrator who neither requested it nor owns the account, and whose role has not changed in the last 24 hours. It is completed at once.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  confirm(resetId: string, options?: RequestOptions): ApiCall<FactorReset>

  /**
   * Stop the removal of second factors.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  stop(resetId: string, options?: RequestOptions): ApiCall<FactorReset>
}

export interface CustomersResource {
  /**
   * List customers.
   *
   * For operators and administrators. Newest first, with customers who have an account and guests.
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:read`.
   */
  list(query?: ListCustomersQuery | undefined, options?: RequestOptions): PagedCall<CustomerList>

  /**
   * Create a customer without an account.
   *
   * For customers who sign in to your own shop. `externalId` is their id there, and unique (409 `customer_exists` with `customerId`). An email address gives no access to what an account with the same address owns.
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:write`.
   */
  create(body: CreateCustomerRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Customer>

  /**
   * Read a customer.
   *
   * For operators and administrators.
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:read`.
   */
  get(customerId: string, options?: RequestOptions): ApiCall<Customer>

  /**
   * Change a customer.
   *
   * The email address of a customer with an account belongs to its owner (409 `customer_has_account`).
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:write`.
   */
  update(customerId: string, body: UpdateCustomerRequest, options?: RequestOptions): ApiCall<Customer>

  /**
   * Delete a customer.
   *
   * Erases the personal data as `DELETE /me` does; open orders keep theirs until they end. A session needs a step-up, an API key does not. An account can be deleted only by its owner or by an administrator in a session (409 `customer_has_account`).
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:write`.
   */
  delete(customerId: string, options?: RequestOptions): ApiCall<void>

  /**
   * Merge a customer into another one.
   *
   * Moves designs, assets, fonts, quotes and orders to the customer `into`, which is returned. If there are many, the oldest designs and orders follow within minutes. The merged customer no longer exists, and its tokens end. Neither of them may have an account: guests move their work with `POST /api/auth/guest/claim`.
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:write`.
   */
  merge(customerId: string, body: MergeCustomerRequest, options?: CallOptions<'idempotencyKey'>): ApiCall<Customer>

  /**
   * Issue a token that acts as a customer.
   *
   * For the browser of a customer without an account. The token has the given permissions, is valid for up to 15 minutes and ends within a second with the API key or session that issued it, with the role of its owner, or with the customer. It never works for accounts, API keys and customers.
   *
   * Requires: the role `operator` or `admin`, and the permission `customers:write`.
   */
  createToken(customerId: string, body?: CreateCustomerTokenRequest | undefined, options?: CallOptions<'idempotencyKey'>): ApiCall<CustomerToken>
}

export interface SecurityEventsResource {
  /**
   * List the security events of all accounts.
   *
   * For administrators. Newest first. The events form a chain of digests, which `platen audit verify` checks.
   *
   * Requires: the role `admin`, and the permission `audit:read`.
   */
  list(query?: ListSecurityEventsQuery | undefined, options?: RequestOptions): PagedCall<SecurityEventList>
}

export interface SigningKeysResource {
  /**
   * List the signing keys.
   *
   * For administrators. Newest first: the keys that sign or whose signatures are accepted. The list has no pages, because it grows by rotations only.
   *
   * Requires: the role `admin`, and the permission `system:read`.
   */
  list(options?: RequestOptions): ApiCall<SigningKeyList>

  /**
   * Rotate the signing keys.
   *
   * The next key of each purpose signs from now on, and a new next key is published. Existing signatures stay valid: access tokens until they expire, receipts for ever. If a next key is younger than six minutes, nothing changes, unless `force` is `true`. The response lists the keys. The security events record it as `signing_keys_rotated`.
   *
   * Requires: a session of an account with the role `admin`, with a recent sign-in or step-up (403 `step_up_required`); API keys are not accepted.
   */
  rotate(body: RotateSigningKeysRequest, options?: RequestOptions): ApiCall<SigningKeyList>
}

export interface SecretScanningResource {
  /**
   * Report leaked API keys.
   *
   * For the secret scanning partner programme of GitHub. The body is signed with a key of GitHub (`Github-Public-Key-Identifier`, `Github-Public-Key-Signature`). The service revokes reported keys at once and notifies their owners.
   */
  reportLeakedKeys(body: {
    /** The key that was found. */
    token: string
    /** Token type of the API keys at GitHub. */
    type: string
    url?: string | null
    /** Kind of place in which the key was found. */
    source?: string | null
  }[], options?: RequestOptions): ApiCall<{
    /** SHA-256 of the text, in hexadecimal. */
    token_hash: string
    token_type: string
    label: "true_positive" | "false_positive"
  }[]>
}

export interface PaymentsResource {
  /**
   * Receive an event from Stripe.
   *
   * The URL of a Stripe webhook endpoint for the events `payment_intent.*`, `checkout.session.*`, `charge.*` and `refund.*`. The service reads the current state from Stripe instead of trusting the message, so messages may arrive late, twice or in any order.
   */
  receiveStripeEvent(options?: RequestOptions): ApiCall<StripeEventReceived>
}

/** All operations of the API. */
export interface Resources {
  readonly products: ProductsResource
  readonly changeRecords: ChangeRecordsResource
  readonly shopSettings: ShopSettingsResource
  readonly assets: AssetsResource
  readonly links: LinksResource
  readonly colorProfiles: ColorProfilesResource
  readonly fonts: FontsResource
  readonly templates: TemplatesResource
  readonly designs: DesignsResource
  readonly schemas: SchemasResource
  readonly shippingMethods: ShippingMethodsResource
  readonly shippingSettings: ShippingSettingsResource
  readonly taxSettings: TaxSettingsResource
  readonly quotes: QuotesResource
  readonly orders: OrdersResource
  readonly production: ProductionResource
  readonly dev: DevResource
  readonly mailPreviews: MailPreviewsResource
  readonly mailTexts: MailTextsResource
  readonly events: EventsResource
  readonly webhookEndpoints: WebhookEndpointsResource
  readonly system: SystemResource
  readonly auth: AuthResource
  readonly apiKeys: ApiKeysResource
  readonly me: MeResource
  readonly users: UsersResource
  readonly storage: StorageResource
  readonly invitations: InvitationsResource
  readonly factorResets: FactorResetsResource
  readonly customers: CustomersResource
  readonly securityEvents: SecurityEventsResource
  readonly signingKeys: SigningKeysResource
  readonly secretScanning: SecretScanningResource
  readonly payments: PaymentsResource
}
