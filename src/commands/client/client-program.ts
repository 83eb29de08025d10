import { Option } from 'commander'
import { type CommandLine, textOption } from '../command-line/command.ts'

const STATUSES = { 0: 'done', 1: 'refused or failed' }

/** Adds the commands for developers of clients. They call a running service, on this or another machine. */
export function addClientCommands(program: CommandLine): void {
  addLogin(program)
  addApi(program)
  addEventCommands(program)
}

function withProfile(command: CommandLine): CommandLine {
  return command.addOption(
    textOption('--profile <name>', 'profile of "platen login" (default: PLATEN_PROFILE, or "default")'),
  )
}

function withConnection(command: CommandLine): CommandLine {
  return withProfile(command)
    .addOption(
      textOption(
        '--url <origin>',
        'origin of the service (default: PLATEN_URL, the service of the profile, or http://127.0.0.1:8080)',
      ),
    )
    .option('--allow-http', 'send credentials without encryption to other machines')
}

function addLogin(program: CommandLine): void {
  const email = () => textOption('--email <email>', 'email address of the account (default: it is asked for)')
  withConnection(program.command('login'))
    .description('Sign in to a service and store an API key for the other commands')
    .addOption(email())
    .runs({ 0: 'the key is stored', 1: 'the sign-in failed' }, async () => (await import('./login.ts')).login)
  withConnection(program.command('logout'))
    .description('Revoke the stored API key, for which you sign in again, and remove the profile')
    .addOption(email())
    .addOption(textOption('--key <id>', 'only revoke this key of the service (default: the key of the profile)'))
    .option('--keep-key', 'only remove the profile, without revoking the key')
    .runs(
      { 0: 'the key is revoked, or kept as requested', 1: 'the key was not revoked, or the profile does not exist' },
      async () => (await import('./logout.ts')).logout,
    )
}

function addApi(program: CommandLine): void {
  const repeated = (value: string, all: readonly string[] = []) => [...all, value]
  withConnection(program.command('api'))
    .description('Send a request to the API and print the response')
    .argument('<method>', 'get, post, put, patch, delete or head')
    .argument('<path>', 'path below /v1 with its query, such as /orders?limit=3')
    .addOption(textOption('--data <json|@file|->', 'body: JSON, a file, or standard input with "-" (default: no body)'))
    .addOption(
      new Option('--header <name: value>', 'further header, can be repeated (default: none)').argParser(repeated),
    )
    .addOption(textOption('--output <file>', 'file for the body of the response (default: standard output)'))
    .option('--all', 'read all pages of a list, and print each record as one line of JSON')
    .runs({ 0: 'a response with a status below 400', 1: 'another response, or none' }, async () => {
      return (await import('./api.ts')).api
    })
}

function addEventCommands(program: CommandLine): void {
  withConnection(program.command('listen'))
    .description('Print events as they happen, and post them to a webhook receiver on this machine')
    .addOption(textOption('--forward-to <url>', 'URL of the receiver, which gets signed requests (default: none)'))
    .addOption(new Option('--type <type...>', 'event types (default: all)'))
    .addOption(
      textOption('--since <time>', 'also earlier events, from a time or a duration such as 10m (default: from now on)'),
    )
    .addOption(textOption('--secret <whsec_...>', 'secret that signs the requests (default: a new one)'))
    .runs(
      { 0: 'stopped by SIGTERM or SIGINT', 1: 'could not start, or the key was revoked' },
      async () => (await import('./listen.ts')).listen,
    )
  withConnection(program.command('trigger'))
    .description('Make an event happen in a test installation')
    .argument('[type]', 'event type, such as order.shipped (default: list the types)')
    .option('--list', 'list the types')
    .runs(STATUSES, async () => (await import('./trigger.ts')).trigger)
}
