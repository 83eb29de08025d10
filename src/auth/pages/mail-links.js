// Runs in the browser. It sends the token of a mailed link when the user presses the button.
const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
const token = new URLSearchParams(location.search).get('token') ?? ''

// Removes the token from the URL, so that it does not stay in the browser history or on screenshots.
history.replaceState(null, '', location.pathname)

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  const password = form.querySelector('input')?.value
  const body = password === undefined ? { token } : { token, newPassword: password }
  try {
    const answer = await fetch(form.dataset.action, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.ok) {
      form.hidden = true
      status.textContent = form.dataset.done
      return
    }
    const problem = await answer.json()
    status.textContent = problem.errors?.[0]?.detail ?? problem.detail
  } catch {
    status.textContent = 'The service cannot be reached at the moment. Please try again.'
  }
  button.disabled = false
})
