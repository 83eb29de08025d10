export type { SealedBox } from '../platform/cryptography/sealed-box.ts'
export { type AccountRole, type Permission, permissionsOf } from './access/permissions.ts'
export { ensureAdministrator, hasAdministrator } from './accounts/administrator.ts'
export { importUsers } from './accounts/import/import-users.ts'
export { type ImportedUser, type ReadUsers, readUsers } from './accounts/import/read-users.ts'
export { type AccountData, erasedBatch } from './accounts/personal-data/account-data.ts'
export { checkRecord } from './audit/chain/check-record.ts'
export { requestVerification } from './audit/chain/verification.ts'
export { type AuditVerification, readVerification } from './audit/chain/verification-store.ts'
export type { RecordVerdict } from './audit/chain/verify.ts'
export { type Auth, createAuth } from './auth.ts'
export {
  anyone,
  anyoneWithOwnRecords,
  hasPermission,
  requirePermission,
  requireRole,
  requireRoleWithAny,
  requireScope,
  requireScopeOrTicket,
} from './http/guards.ts'
export { insufficientRole, insufficientScope } from './http/refusals.ts'
export { COOKIE_PATHS } from './http/same-site.ts'
export { wrongSecret } from './keys/key-material.ts'
export { type RotatedKey, rotateSigningKeys } from './keys/rotation/rotate-keys.ts'
export { readSecrets, writeSecret } from './keys/secret-file.ts'
export { verifyStatement } from './keys/statements.ts'
export { KEY_PURPOSES, type KeyPurpose } from './keys/store.ts'
export { customerProblems, PERMISSION_PROBLEMS } from './problems.ts'
export { accountRoutes, authApiRoutes, wellKnownRoutes } from './routes.ts'
export { ENCRYPTED_COLUMNS_OF_AUTH, type EncryptedColumn } from './secret-rotation/encrypted-columns.ts'
export { rotateSecret, type SecretRotation } from './secret-rotation/rotate-secret.ts'
export {
  decryptsSigningKeys,
  findCommonSecret,
  type SecretDeps,
  withSettledSecret,
} from './secret-rotation/secret-of-backup.ts'
export { signInSettings } from './sign-in-settings.ts'
export { limitOperation, uncountOperation } from './throttle/limit-operation.ts'
export { type HeldCredential, TICKET_SECONDS, type Tickets } from './tickets/tickets.ts'
export { customerIdOf, userIdOf } from './users/customer-id.ts'
export { findAccountId } from './users/find-account-id.ts'
export { type ActorNames, findActorNames } from './users/find-actors.ts'
export { type Contact, findContact } from './users/find-contact.ts'
