export { type Config, type OAuthClient, readConfig, type SmsService } from './config.ts'
export { ConfigError } from './config-error.ts'
