export { type Config, readConfig, type SmsService } from './config.ts'
export { ConfigError } from './config-error.ts'
