/** Ends the work of a request whose client has disconnected while the work waited. No fault of the service. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  /** @param what the part of the request that waited */
  constructor(what: string) {
    super(`the client disconnected while its ${what} waited`)
  }
}
