//! Shows what is wrong with the conversion of a definition.
use kube_codegen_schema::definition::{Rule, Violation};
use serde_json::Value;

use super::View;
use crate::base::diag::Code;

pub(super) fn view(violation: &Violation, manifest: &Value, value: &Value) -> Option<View> {
    let has_webhook = !manifest["spec"]["conversion"]["webhook"].is_null();
    let (message, hint) = match violation.rule {
        Rule::Strategy => (
            format!("unknown conversion strategy {value}"),
            "use None or Webhook",
        ),
        Rule::UnusedWebhook => (
            "a webhook, although the strategy is None".to_owned(),
            "remove it, or set `strategy: Webhook`",
        ),
        Rule::NoWebhook if !has_webhook => {
            let message = "the strategy Webhook without `webhook`";
            let hint = "add `clientConfig` and `conversionReviewVersions`";
            return Some(View::new(Code::InvalidConversion, message, hint).of_parent());
        }
        Rule::NoWebhook | Rule::WebhookTarget => (
            "a webhook needs either `url` or `service` in its `clientConfig`".to_owned(),
            "for an operator in the cluster, use `service`",
        ),
        Rule::WebhookUrl => (
            "not a URL that the API server calls".to_owned(),
            "use https:// with a host, without user, query and fragment",
        ),
        Rule::WebhookService => {
            let name = violation.pointer.rsplit('/').next().unwrap_or_default();
            let message = format!("the service of the webhook has no `{name}`");
            (message, "name the Service of the operator")
        }
        Rule::WebhookPort => ("not a port".to_owned(), "use 1 to 65535"),
        Rule::WebhookPath => (
            "not a path that the API server calls".to_owned(),
            "use a path such as /convert: each part is a DNS subdomain",
        ),
        // The webhook is reported.
        Rule::NoReviews if !has_webhook => return None,
        Rule::NoReviews | Rule::UnknownReviews => (
            "`conversionReviewVersions` lists no version that the API server sends".to_owned(),
            "use [v1]",
        ),
        Rule::ReviewName | Rule::ReviewTwice => (
            format!("{value} is not a version name, or is listed twice"),
            "use [v1]",
        ),
        _ => return None,
    };
    Some(View::new(Code::InvalidConversion, message, hint).of_key())
}
