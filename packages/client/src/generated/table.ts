// Written by `npm run client` from openapi.json. Change the contract instead of this file.

/** One line for each operation. `operations.ts` explains the flags. */
export const TABLE = `
products.getImage GET /products/{productId}/images/{imageId} qnB
products.listChanges GET /products/{productId}/history qp
products.previewPrices POST /products/price-preview b
products.exportVariants GET /products/variants/export qB
products.list GET /products qpn
products.create POST /products bk
products.get GET /products/{productId} n
products.change PATCH /products/{productId} b
products.archive POST /products/{productId}/archive
products.restore POST /products/{productId}/restore
changeRecords.list GET /change-records qp
shopSettings.get GET /shop-settings n
shopSettings.change PATCH /shop-settings b
shopSettings.previewShopColors GET /shop-settings/colors qn
shopSettings.getShopLogo GET /shop-settings/logo/{logoId} qnB
assets.list GET /assets qcp
assets.upload POST /assets fkc
assets.get GET /assets/{assetId} c
assets.delete DELETE /assets/{assetId} c
assets.getContent GET /assets/{assetId}/content cB
assets.getThumbnail GET /assets/{assetId}/thumbnail qcB
assets.createLink POST /assets/{assetId}/links bc
links.getAssetContent GET /links/assets/{assetId}/content qnB
links.getAssetThumbnail GET /links/assets/{assetId}/thumbnail qnB
colorProfiles.list GET /color-profiles qp
colorProfiles.upload POST /color-profiles fk
colorProfiles.get GET /color-profiles/{colorProfileId}
colorProfiles.delete DELETE /color-profiles/{colorProfileId}
fonts.listUploaded GET /fonts/uploads qcp
fonts.get GET /fonts/{fontId} c
fonts.delete DELETE /fonts/{fontId} c
fonts.getContent GET /fonts/{fontId}/content cB
templates.list GET /templates qpn
templates.create POST /templates bk
templates.get GET /templates/{templateId} n
templates.change PATCH /templates/{templateId} b
templates.preview GET /templates/{templateId}/preview qnB
templates.archive POST /templates/{templateId}/archive
templates.restore POST /templates/{templateId}/restore
designs.get GET /designs/{designId} c
designs.archive DELETE /designs/{designId} c
designs.change PATCH /designs/{designId} bjc
designs.list GET /designs qcp
designs.create POST /designs bkc
designs.duplicate POST /designs/{designId}/duplicate kc
designs.preflight POST /designs/{designId}/preflight cr
designs.applyFixes POST /designs/{designId}/apply-fixes bc
designs.finalize POST /designs/{designId}/finalize cr
designs.listRevisions GET /designs/{designId}/revisions qcp
designs.getRevision GET /designs/{designId}/revisions/{revision} c
designs.restoreRevision POST /designs/{designId}/revisions/{revision}/restore c
designs.preview GET /designs/{designId}/preview qcB
designs.getFile GET /designs/{designId}/files/{fileId} cB
designs.getReceipt GET /designs/{designId}/receipt cT
designs.createLink POST /designs/{designId}/links bc
links.getDesignPreview GET /links/designs/{designId}/preview qnB
links.getDesignFile GET /links/designs/{designId}/files/{fileId} qnB
fonts.list GET /fonts cn
fonts.upload POST /fonts fkc
fonts.listFiles GET /fonts/files n
fonts.getFile GET /fonts/files/{release}/{file} nB
schemas.getDesignDocument GET /schemas/design-document.json n
shippingMethods.list GET /shipping-methods qpn
shippingMethods.create POST /shipping-methods bk
shippingMethods.get GET /shipping-methods/{methodId} n
shippingMethods.change PATCH /shipping-methods/{methodId} b
shippingMethods.delete DELETE /shipping-methods/{methodId}
shippingSettings.list GET /shipping-settings qp
taxSettings.get GET /tax-settings
taxSettings.replace PUT /tax-settings b
quotes.create POST /quotes bkc
quotes.get GET /quotes/{quoteId} c
orders.create POST /orders bkc
orders.list GET /orders qcp
orders.get GET /orders/{orderId} c
orders.change PATCH /orders/{orderId} b
orders.cancel POST /orders/{orderId}/cancel bkc
orders.resolveHold POST /orders/{orderId}/resolve-hold bkc
orders.addNote POST /orders/{orderId}/notes bk
orders.deleteNote DELETE /orders/{orderId}/notes/{noteId}
orders.changeShipment PATCH /orders/{orderId}/shipments/{shipmentId} b
orders.getOwnItemFile GET /orders/{orderId}/items/{itemId}/files/{fileId} cB
orders.retryItemFiles POST /orders/{orderId}/items/{itemId}/files/retry k
orders.createLink POST /orders/{orderId}/links bc
links.getOrderItemFile GET /links/orders/{orderId}/items/{itemId}/files/{fileId} qnB
orders.pay POST /orders/{orderId}/pay bkc
orders.recordPayment POST /orders/{orderId}/payments bk
orders.refund POST /orders/{orderId}/refunds bk
production.listOrders GET /production/orders qp
production.getOrderStatistics GET /production/statistics q
production.getOrderItemFile GET /production/orders/{orderId}/items/{itemId}/files/{fileId} B
production.drawOrderItemFilePage GET /production/orders/{orderId}/items/{itemId}/files/{fileId}/pages/{page} qB
orders.hold POST /orders/{orderId}/hold bk
orders.release POST /orders/{orderId}/release k
orders.startProduction POST /orders/{orderId}/start-production k
production.changeOrdersInBulk POST /production/bulk bk
orders.ship POST /orders/{orderId}/shipments bk
orders.deliverShipment POST /orders/{orderId}/shipments/{shipmentId}/deliver k
orders.returnShipment POST /orders/{orderId}/shipments/{shipmentId}/return bk
production.getPickList GET /production/orders/{orderId}/pick-list B
production.getPickLists GET /production/pick-list qB
production.downloadPrintFiles POST /production/print-files bB
production.createBatch POST /production/batches bk
production.listBatches GET /production/batches qp
production.addOrdersToBatch POST /production/batches/{batchId}/orders bk
production.removeOrderFromBatch DELETE /production/batches/{batchId}/orders/{orderId}
production.closeBatch POST /production/batches/{batchId}/close k
production.getBatchPickLists GET /production/batches/{batchId}/pick-list qB
production.getBatch GET /production/batches/{batchId}
dev.advanceTestOrder POST /dev/orders/{orderId}/advance bk
mailPreviews.list GET /mail-previews
mailPreviews.previewMail GET /mail-previews/{kind} q
mailPreviews.previewMailText POST /mail-previews/{kind} b
mailPreviews.sendTestMail POST /mail-previews/{kind}/send bk
mailTexts.get GET /mail-texts/{kind}/{language}
mailTexts.replace PUT /mail-texts/{kind}/{language} b
mailTexts.reset DELETE /mail-texts/{kind}/{language}
orders.listMails GET /orders/{orderId}/mails
events.list GET /events qp
events.get GET /events/{eventId}
events.createStreamTicket POST /events/tickets
events.stream GET /events/stream qE
webhookEndpoints.list GET /webhook-endpoints qp
webhookEndpoints.create POST /webhook-endpoints bk
webhookEndpoints.get GET /webhook-endpoints/{endpointId}
webhookEndpoints.update PATCH /webhook-endpoints/{endpointId} b
webhookEndpoints.delete DELETE /webhook-endpoints/{endpointId}
webhookEndpoints.rotateSecret POST /webhook-endpoints/{endpointId}/rotate-secret bk
webhookEndpoints.listDeliveries GET /webhook-endpoints/{endpointId}/deliveries qp
webhookEndpoints.getDelivery GET /webhook-endpoints/{endpointId}/deliveries/{deliveryId}
webhookEndpoints.retryDelivery POST /webhook-endpoints/{endpointId}/deliveries/{deliveryId}/retry k
webhookEndpoints.replayEvents POST /webhook-endpoints/{endpointId}/replay bk
webhookEndpoints.test POST /webhook-endpoints/{endpointId}/test k
system.getStatus GET /system/status
system.getConfiguration GET /system/configuration
system.listJobs GET /system/jobs qp
system.retryJob POST /system/jobs/{jobId}/retry k
system.verifyAuditLog POST /system/audit-log/verify k
system.listRequestLog GET /system/requests qp
system.getRequestLogEntry GET /system/requests/{requestId}
auth.register POST /api/auth/register bn
auth.verifyEmail POST /api/auth/email/verify bn
auth.resendVerification POST /api/auth/email/resend bn
auth.changeEmail POST /api/auth/email/change b
auth.confirmEmail POST /api/auth/email/confirm bn
auth.login POST /api/auth/login bns
auth.refresh POST /api/auth/refresh bnsr
auth.challengeSecondFactor POST /api/auth/mfa/challenge bn
auth.verifySecondFactor POST /api/auth/mfa/verify bns
auth.stepUp POST /api/auth/step-up b
auth.challengeStepUp POST /api/auth/step-up/challenge b
auth.enableFactor POST /api/auth/mfa/enable b
auth.confirmFactor POST /api/auth/mfa/confirm b
auth.getMfa GET /api/auth/mfa
auth.removeFactor DELETE /api/auth/mfa/{factorId}
auth.renewRecoveryCodes POST /api/auth/mfa/recovery-codes
auth.logout POST /api/auth/logout sr
auth.listSessions GET /api/auth/sessions qp
auth.revokeSession DELETE /api/auth/sessions/{sessionId}
auth.revokeOtherSessions POST /api/auth/sessions/revoke-others
auth.forgotPassword POST /api/auth/password/forgot bn
auth.resetPassword POST /api/auth/password/reset bn
auth.changePassword POST /api/auth/password/change b
auth.offerPasskey POST /api/auth/webauthn/register
auth.addPasskey POST /api/auth/webauthn/register/verify b
auth.listPasskeys GET /api/auth/webauthn/credentials qp
auth.renamePasskey PATCH /api/auth/webauthn/credentials/{credentialId} b
auth.removePasskey DELETE /api/auth/webauthn/credentials/{credentialId}
auth.offerPasskeySignIn POST /api/auth/webauthn/login n
auth.signInWithPasskey POST /api/auth/webauthn/login/verify bns
auth.signInWithGoogle GET /api/auth/google qnL
auth.finishGoogle GET /api/auth/google/callback qn
auth.signInWithGitHub GET /api/auth/github qnL
auth.finishGitHub GET /api/auth/github/callback qn
auth.redeemCode POST /api/auth/token bns
auth.listIdentities GET /api/auth/identities p
auth.linkIdentity POST /api/auth/identities/{provider}/link b
auth.stepUpWithIdentity POST /api/auth/identities/{provider}/step-up b
auth.unlinkIdentity DELETE /api/auth/identities/{provider}
apiKeys.create POST /api/api-keys bk
apiKeys.list GET /api/api-keys qp
apiKeys.rotate POST /api/api-keys/{keyId}/rotate bk
apiKeys.revoke DELETE /api/api-keys/{keyId}
apiKeys.get GET /api/api-keys/{keyId}
auth.createGuest POST /api/auth/guest ns
auth.claimGuest POST /api/auth/guest/claim b
auth.readInvitation POST /api/auth/invitations/read bn
auth.acceptInvitation POST /api/auth/invitations/accept bn
auth.claimInvitation POST /api/auth/invitations/claim b
auth.stopOwnFactorReset POST /api/auth/factor-reset/stop bn
me.get GET /me
me.update PATCH /me b
me.delete DELETE /me
me.getStorage GET /me/storage
me.export GET /me/export
users.list GET /users qp
users.get GET /users/{userId}
users.update PATCH /users/{userId} b
users.listSessions GET /users/{userId}/sessions qp
users.revokeSessions POST /users/{userId}/sessions/revoke-all
storage.get GET /storage
storage.listAccounts GET /storage/accounts qp
storage.getAccount GET /storage/accounts/{accountId}
storage.updateAccount PATCH /storage/accounts/{accountId} b
invitations.create POST /invitations bk
invitations.list GET /invitations qp
invitations.get GET /invitations/{invitationId}
invitations.revoke DELETE /invitations/{invitationId}
users.startFactorReset POST /users/{userId}/factor-resets k
factorResets.list GET /factor-resets qp
factorResets.confirm POST /factor-resets/{resetId}/confirm
factorResets.stop POST /factor-resets/{resetId}/stop
customers.list GET /customers qp
customers.create POST /customers bk
customers.get GET /customers/{customerId}
customers.update PATCH /customers/{customerId} b
customers.delete DELETE /customers/{customerId}
customers.merge POST /customers/{customerId}/merge bk
customers.createToken POST /customers/{customerId}/tokens bk
me.listSecurityEvents GET /me/security-events qp
securityEvents.list GET /security-events qp
signingKeys.list GET /signing-keys
signingKeys.rotate POST /signing-keys/rotate b
secretScanning.reportLeakedKeys POST /secret-scanning/alerts bn
products.importVariants POST /products/variants/import fk
payments.receiveStripeEvent POST /payments/stripe/webhook n
production.importShipments POST /production/shipments/import fk
`
