const editor = document.querySelector('platen-editor')

async function post(path) {
  const response = await fetch(path, { method: 'POST' })
  if (!response.ok) throw new Error(`${path}: status ${response.status}`)
  return response.json()
}

function show(id, text) {
  document.getElementById(id).textContent = text
}

// The editor asks for a token when it starts, and whenever a token is about to expire.
editor.tokenSource = () => post('/token')

editor.addEventListener('change', () => show('result', 'Changed'))
editor.addEventListener('preflight', ({ detail: { report } }) => {
  show('checks', report.issues.length === 0 ? 'Ready to print' : `To check: ${report.issues.length}`)
})
editor.addEventListener('finalized', ({ detail: { design } }) => show('result', `In the basket: ${design.id}`))
editor.addEventListener('problem', ({ detail: { error } }) => show('result', error.message))

const { designId } = await post('/design')
editor.setAttribute('design', designId)
