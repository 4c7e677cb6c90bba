// Requests go to the server of the page, because the policy allows no other server of the contract.
// Basic is preselected: a reader can use it at once, without a token to copy. While its fields are empty the reference would send a
// placeholder; it is removed, so that the cookie of a login on the page counts.
Scalar.createApiReference('#app', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'This server' }],
  authentication: { preferredSecurityScheme: 'basicAuth' },
  persistAuth: false,
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  agent: { disabled: true },
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  showOperationId: true,
  orderSchemaPropertiesBy: 'preserve',
  onBeforeRequest({ request }) {
    const sent = request.headers.get('authorization') ?? '';
    if (['Basic username:password', 'Bearer', 'Bearer YOUR_SECRET_TOKEN'].includes(sent.trim()))
      request.headers.delete('authorization');
  },
  metaData: { title: document.title },
});
