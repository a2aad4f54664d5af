//! The numbers of terms, which other systems compare.
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, api::DeleteParams};
use kube_codegen_runtime::leader_election::{LeaderElectionConfig, LeaderElector};
use kube_codegen_testing::ApiServer;

#[tokio::test(start_paused = true)]
async fn numbers_of_terms_grow_even_if_the_lease_is_deleted() {
    let server = ApiServer::new();
    let leases: Api<Lease> = Api::default_namespaced(server.client());
    let mut last = None;
    for identity in ["a", "b", "a"] {
        let config = LeaderElectionConfig::new("election").namespace("default");
        let config = config.identity(identity).seed(1);
        let elector = LeaderElector::new(&server.client(), config).unwrap();
        let term = elector.term();
        let leads = elector.run(async |_| std::future::pending::<()>().await);
        let task = tokio::spawn(async move { drop(leads.await) });
        term.started().await.unwrap();
        assert!(term.number() > last, "{:?} after {last:?}", term.number());
        last = term.number();
        task.abort();
        let params = DeleteParams::default();
        leases.delete("election", &params).await.unwrap();
    }
}
